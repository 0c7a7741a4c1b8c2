class Money:
    def __init__(self, cents):
        self.cents = cents

    def plus(self, other):
        return Money(self.cents + other.cents)

    def times(self, count):
        return type(self)(self.cents * count)

    def text(self):
        return format_cents(self.cents)


def zero():
    return Money(0)


def format_cents(cents):
    return "%d" % cents
