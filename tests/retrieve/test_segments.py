"""Where the words of Chinese, Japanese and Korean questions are."""

from collections.abc import Iterable, Mapping

import pytest

from zerikai_memory.retrieve.segments import pieces, told


@pytest.mark.parametrize(
    ("run", "words", "unknown"),
    [
        ("リダイレクトはどこで処理されますか", ["リダイレクト"], []),
        ("セッションはどこに保存されますか", ["セッション", "保存"], []),
        ("パスワードはどこでハッシュ化されますか", ["パスワード", "ハッシュ化"], []),
        ("接続プール", ["接続プール"], []),  # the longest word, not the first
        ("值を読み込むとき", ["值", "読み込"], []),  # a lone character, and the stem of a verb
        ("重试失败的请求在哪里实现", ["重试", "失败", "请求"], []),
        ("如何处理重定向", ["重定向"], []),
        ("비밀번호는", ["비밀번호"], []),
        ("암호화되었습니다", ["암호화"], []),  # an ending that no list has
        ("パスタの作り方", [], ["パスタ"]),  # pasta is no path
        ("リンゴを食べる", [], ["リンゴ", "食"]),  # an apple is no link
        ("データサイエンティスト", ["データ"], ["サイエンティスト"]),
        ("银行在哪里", [], ["银行"]),  # a bank is no row
        ("红烧肉怎么做", [], ["红烧肉"]),
        ("가방을", [], ["가방"]),  # a bag begins with what is a particle elsewhere
        ("どこですか", [], []),
    ],
)
def test_a_run_is_cut_into_words_and_grammar(run: str, words: list[str], unknown: list[str]) -> None:
    found = pieces(run)
    assert "".join(piece.text for piece in found) == run
    assert [piece.text for piece in found if piece.english] == words
    assert [piece.text for piece in found if not (piece.english or piece.grammar)] == unknown


@pytest.mark.parametrize(
    ("run", "held", "terms", "beside", "english"),
    [
        # Nothing of it is in the project: one term a word, and no pair of grammar or across words.
        ("重试失败的请求", "", ["重试", "失败", "请求"], [], ["重试", "失败", "请求"]),
        # What the project writes stays in pairs, as it is indexed.
        ("订单折扣在哪里", "订单 折扣", ["订单", "折扣"], [], []),
        ("接続プールの設定", "接続 続プ プー ール", ["接続", "続プ", "プー", "ール", "設定"], [], ["設定"]),
        # An unknown word is one term however long; what a known pair holds of it is none.
        ("蛋白质结构预测", "结构", ["蛋白质", "结构", "预测"], [], []),
        ("パスタですか", "です", ["パスタ"], ["です"], []),  # grammar tells nothing though the project writes it
        ("鍵", "鍵", ["鍵"], [], []),
    ],
)
def test_what_the_project_writes_is_asked_as_it_is_and_the_rest_in_english(
    run: str, held: str, terms: list[str], beside: list[str], english: list[str]
) -> None:
    def counts(words: Iterable[str]) -> Mapping[str, int]:
        return {word: int(word in held.split()) for word in words}

    asked = told(run, counts)
    assert (list(asked.terms), list(asked.beside), list(asked.english)) == (terms, beside, english)
