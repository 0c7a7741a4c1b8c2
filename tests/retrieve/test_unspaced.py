from pathlib import Path

import pytest

from zerikai_memory.app import Memory

TREE = {
    "auth.py": 'def rotate(t):\n    """ユーザーの認証トークンを更新する。"""\n    return t\n\n\n'
    'def price(x):\n    """计算订单的折扣价格，并返回税后金额。"""\n    return x\n\n\n'
    'def mail(x):\n    """사용자에게 비밀번호 재설정 메일을 보낸다."""\n    return x\n\n\n'
    'def lock(x):\n    """この鍵を保存する。"""\n    return x\n',
    "README.md": "# 配置文件\n\n配置文件放在主目录下，可以用环境变量覆盖。\n\n"
    "# データベース接続\n\n接続プールの大きさを設定します。\n",
}


@pytest.fixture
def project(memory: Memory, workspace: Path) -> Path:
    for path, text in TREE.items():
        (workspace / path).write_text(text, "utf-8")
    memory.scan(str(workspace))
    return workspace


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("認証トークンはどこで更新されますか", "rotate"),
        ("トークン", "rotate"),
        ("鍵", "lock"),
        ("接続プールの大きさはどうやって決まる", "データベース接続"),
        ("如何计算折扣", "price"),
        ("税后金额", "price"),
        ("折扣价格在哪里计算的？", "price"),
        ("配置文件在哪里", "配置文件"),
        ("如何覆盖环境变量？", "配置文件"),
        ("비밀번호 재설정은 어디서 하나요", "mail"),
    ],
)
def test_words_inside_text_without_blanks_are_found(question: str, name: str, memory: Memory, project: Path) -> None:
    answer = memory.query(question, str(project))
    assert not answer.nothing_relevant
    assert answer.results[0].name == name


@pytest.mark.parametrize("question", ["蛋白质结构预测", "量子もつれの実験", "김치 만드는 법"])
def test_what_is_not_there_is_not_found_in_other_scripts_either(question: str, memory: Memory, project: Path) -> None:
    assert memory.query(question, str(project)).nothing_relevant


def test_a_note_is_found_by_words_inside_it(memory: Memory, project: Path) -> None:
    note = memory.save("支払いの再試行は三回までと決めた", str(project), category="decision")
    assert memory.query("再試行は何回？", str(project)).notes[0].id == note.id


ORDERS = '''"""模块：处理订单。"""


class OrderService:
    """订单服务。"""

    def validate(self, order):
        """验证订单是否有效。"""
        return True

    def cancel(self, order):
        """取消订单并退款。"""
        return False
'''


@pytest.mark.parametrize(
    ("question", "name"),
    [("退款", "cancel"), ("取消订单", "cancel"), ("验证订单是否有效", "validate"), ("订单服务", "OrderService")],
)
def test_the_innermost_entity_that_holds_the_word_comes_before_what_is_around_it(
    question: str, name: str, memory: Memory, workspace: Path
) -> None:
    (workspace / "orders.py").write_text(ORDERS, "utf-8")
    memory.scan(str(workspace))
    assert memory.query(question, str(workspace)).results[0].name == name


def test_a_distance_that_cannot_be_told_is_no_number(memory: Memory, project: Path) -> None:
    answer = memory.query("トークン", str(project))
    assert [hit.distance for hit in answer.results] == [None] * len(answer.results)
    assert "(-)" in answer.results[0].citation
    assert not answer.warnings  # the embedding is the one that the index was made with
