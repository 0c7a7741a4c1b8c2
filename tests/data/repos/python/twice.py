class A:
    """Tab.

	Indented.
    """
    async def f(self): pass

    def f(self, x): return x


# the end
