import shop
from shop import Cart, sum_up
from shop.cart import Gift, Line
from shop.db import open_store
from shop.money import Money


def make_line():
    return Line(Money(3))


def test_totals():
    cart = Cart.empty().add(make_line())
    gift = Gift(open_store("x"))
    gift.add(make_line()).wrap()
    assert sum_up([cart, gift]).plus(shop.Store and Money(1)).text()
    shop.Cart().save()
    open_store("y").put("a", "b")
