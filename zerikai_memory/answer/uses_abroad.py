"""Questions for uses in other languages, with names as code has them: wer ruft X auf, quién llama a X, 谁调用 X."""

from __future__ import annotations

_A = "(?:(?:die|der|das|den|la|le|l'|el|il|lo|a|o|de|het) ?)?"
_KINDS = (
    "funktion|methode|klasse|datei|fonction|méthode|classe|fichier|función|funcion|método|metodo|clase|archivo|função|"
    "arquivo|funzione|functie|bestand|функцию|функция|метод|класс|файл|函数|方法|类|関数|メソッド|クラス|함수|메서드|클래스"
)
# Languages without blanks write on right behind a name, so it ends where its letters do.
_X = r"[`'\"]?(?P<x>[A-Za-z_$][A-Za-z0-9_$.:/#\-]*(?:\(\))?)[`'\"]?"
_THING = rf"{_A}(?:(?:{_KINDS}) ?)?{_X}"
# (view, form) as in `uses`; what follows the form, and signs before and after it, are added there.
FORMS: tuple[tuple[str, str], ...] = (
    # German
    ("callers", rf"(?:wer|was|welche \w+) (?:ruft|rufen) {_THING} auf"),
    ("callers", rf"(?:wo|von wem|wird|werden) (?:wird |werden )?{_THING} (?:überall |irgendwo )?aufgerufen"),
    (
        "dependents",
        rf"(?:wer|was|welche \w+) (?:benutzt|benutzen|nutzt|nutzen|verwendet|verwenden|importiert) {_THING}",
    ),
    ("dependents", rf"(?:wo|wird) (?:wird )?{_THING} (?:überall |irgendwo )?(?:benutzt|genutzt|verwendet|importiert)"),
    ("tests", rf"(?:welche tests (?:gibt es für|testen|prüfen)|tests für) {_THING}"),
    ("tests", rf"(?:wird|ist) {_THING} getestet"),
    ("impact", rf"was (?:passiert|bricht|geht kaputt),? wenn (?:ich|wir|man) {_THING} (?:ändere|ändern|ändert)"),
    # French
    ("callers", rf"(?:qui|qu'est-ce qui) appelle(?:nt)? {_THING}"),
    ("callers", rf"(?:où|ou) (?:est|sont) appelée?s? {_THING}"),
    ("callers", rf"(?:où|ou) {_THING} est(?:-(?:il|elle))? appelée?"),
    ("dependents", rf"(?:qui|qu'est-ce qui) (?:utilise|importe)(?:nt)? {_THING}"),
    ("dependents", rf"(?:où|ou) (?:est|sont) utilisée?s? {_THING}"),
    ("dependents", rf"(?:où|ou) {_THING} est(?:-(?:il|elle))? utilisée?"),
    ("tests", rf"(?:quels tests (?:couvrent|testent)|(?:les )?tests (?:pour|de)) {_THING}"),
    # Spanish
    ("callers", rf"(?:qui[eé]n(?:es)?|qu[eé]) llaman? (?:a )?{_THING}"),
    ("callers", rf"d[oó]nde se llama (?:a )?{_THING}"),
    ("dependents", rf"(?:qui[eé]n(?:es)?|qu[eé]) (?:usa|utiliza|importa)n? (?:a )?{_THING}"),
    ("dependents", rf"d[oó]nde se (?:usa|utiliza|importa) {_THING}"),
    # Portuguese
    ("callers", rf"(?:quem|o que) chama {_THING}"),
    ("callers", rf"onde {_THING} é chamad[oa]"),
    ("callers", rf"onde é chamad[oa] {_THING}"),
    ("dependents", rf"(?:quem|o que) (?:usa|utiliza|importa) {_THING}"),
    ("dependents", rf"onde {_THING} é (?:usad|utilizad)[oa]"),
    ("dependents", rf"onde é (?:usad|utilizad)[oa] {_THING}"),
    # Italian
    ("callers", rf"(?:chi|cosa) chiama {_THING}"),
    ("callers", rf"dove (?:è|viene) chiamat[oa] {_THING}"),
    ("dependents", rf"(?:chi|cosa) (?:usa|utilizza|importa) {_THING}"),
    ("dependents", rf"dove (?:è|viene) (?:usat|utilizzat)[oa] {_THING}"),
    # Dutch
    ("callers", rf"(?:wie|wat) roept {_THING} aan"),
    ("callers", rf"waar wordt {_THING} aangeroepen"),
    ("dependents", rf"(?:wie|wat) gebruikt {_THING}"),
    ("dependents", rf"waar wordt {_THING} gebruikt"),
    # Russian
    ("callers", rf"(?:кто|что) вызывает {_THING}"),
    ("callers", rf"где вызывается {_THING}"),
    ("dependents", rf"(?:кто|что) использует {_THING}"),
    ("dependents", rf"где используется {_THING}"),
    # Chinese
    ("callers", rf"(?:谁|哪里|哪些(?:函数|方法|地方)?|什么)(?:在)?(?:会)?调用了? ?{_THING}"),
    ("callers", rf"{_X} ?(?:在哪里|在哪儿|在哪|被谁|被哪些函数)被?调用(?:了|的)?"),
    ("dependents", rf"(?:谁|哪里|哪些(?:函数|方法|文件|地方)?|什么)(?:在)?(?:会)?(?:使用|用到|引用|用)了? ?{_THING}"),
    ("dependents", rf"{_X} ?(?:在哪里|在哪儿|在哪|被谁|被哪些函数)被?(?:使用|引用|用到)(?:了|的)?"),
    # Japanese
    (
        "callers",
        rf"(?:誰|何|どこ)(?:が|で) ?{_X} ?を(?:呼ぶ|呼び出す|呼び出し|呼んで|呼び出して)(?:いる|いますか|ますか|か)?",
    ),
    ("callers", rf"{_X} ?は(?:どこ(?:で|から)|誰に|何に)呼び?(?:出され|ばれ)て?(?:いる|いますか|ますか|る|か)?"),
    ("dependents", rf"(?:誰|何|どこ)(?:が|で) ?{_X} ?を(?:使う|使って|使用して)(?:いる|いますか|か)?"),
    ("dependents", rf"{_X} ?は(?:どこ(?:で|から)|誰に|何に)(?:使われ|使用され)て?(?:いる|いますか|ますか|る|か)?"),
    # Korean
    ("callers", rf"(?:누가|무엇이|어디서|어디에서) {_X} ?(?:을|를)? ?호출(?:하나요|합니까|하는가|해|하니)?"),
    ("dependents", rf"(?:누가|무엇이|어디서|어디에서) {_X} ?(?:을|를)? ?사용(?:하나요|합니까|하는가|해|하니)?"),
    ("callers", rf"{_X} ?(?:은|는|이|가)? ?어디(?:에)?서 호출(?:되나요|됩니까|되는가|돼)?"),
    ("dependents", rf"{_X} ?(?:은|는|이|가)? ?어디(?:에)?서 사용(?:되나요|됩니까|되는가|돼)?"),
)
