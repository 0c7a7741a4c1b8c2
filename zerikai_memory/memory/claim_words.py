"""Words that carry the form of a sentence and not its subject, by the part they play, in four languages.

The rules of conflicts read them: what stands after a link or a placing verb is a value, what a word of negation
stands before is denied, what stands behind a preposition of scope limits the statement.
"""

from __future__ import annotations

from collections.abc import Mapping


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# "is", and signs that stand for it.
LINKS = _set(
    "is are be being = becomes become remains remain stays stay equals means ist sind sei wird werden bleibt est sont "
    "reste restent es son está están queda seran sera será"
)
PAST_LINKS = _set("was were been war waren wurde wurden était étaient fut era eran fue fueron")
# Choosing one of several; takes the value directly. The past tense tells a choice that stands.
CHOICES = _set(
    "use uses using used opted utilise utilize choose chooses chose chosen pick picks picked prefer prefers "
    "preferred select "
    "selected adopt adopts adopted decided decide agreed settled settle went standardise standardised standardize "
    "verwenden verwendet verwende nutzen nutzt benutzen benutzt utilisons utilisent utiliser employons usamos usa usan "
    "usar utilizamos utiliza utilizan elegimos wählen gewählt nehmen switched migrated moved"
)
# "moved to", "switched to" choose; "moved the tests" tells what was done.
CHOICES_WITH_TO = _set("switched migrated moved")
# Placing something, with a preposition: light ones say nothing of the subject themselves.
LIGHT_PLACING = _set(
    "go goes live lives sit sits run runs reside resides land lands happen happens occur occurs geht gehen "
    "läuft laufen "
    "liegt liegen va vont tourne tournent corre corren vive viven take takes get gets has have had hat haben a "
    "ont tiene "
    "tienen do does doing done made make makes gemacht"
)
# The same as content of the sentence, by stem.
PLACING = _set(
    "ship store keep kept host writ written send sent deploy handl manag sign hash encrypt format generat render serv "
    "return train upload compil pin nam licens index schedul defin configur log report monitor collect pars "
    "releas tag sort indent order cach version packag install build built expir start begin end listen default target "
    "speak point belong resolv map encod compress publish save mount bind lead led own maintain draw drawn read "
    "pick process implement document execut gespeichert gehostet geschrieben gesendet gelegt gespielt stocké "
    "stockés hébergé "
    "hébergés écrit écrits envoyé envoyés guarda guardan almacena almacenan almacenado escrito envía envían verschickt "
    "gebaut ausgeliefert construit déployé desplegado mail post fil book bill count measur "
    "come arriv talk connect"
)
# Verbs whose object is what the thing is.
EQUATING = _set("return target speak sign equal follow emit conform")
# A place or means behind these is one among others.
NEVER_PLACING = _set(
    "us test support mention import availabl need affect cover block known seen found ignor skip shown show review "
    "requir miss allow"
)
PLACES = _set(
    "in on at to from over into onto behind under nach in auf bei an zu aus im am beim zum dans sur à chez vers au aux "
    "en de sobre"
)
MEANS = _set("with by as via through using mit von als per durch avec par comme con por como mediante")
# Behind these the statement is limited; a limit on one side makes another subject.
WITH = _set("with mit avec con")
SCOPE_PREPOSITIONS = _set(
    "for in on during while when whenever if unless where within inside under without except besides für während wenn "
    "falls bei im beim ohne außer pour pendant si dans quand lorsque sans sauf para durante cuando sin excepto en"
)
SCOPE_CONTENT = _set(
    "since until till before after seit bis ab vor nach depuis jusque avant après desde hasta antes después"
)
CONDITIONS = _set(
    "when whenever if unless while that which who whose where wenn falls dass quand lorsque si cuando que qui"
)
PREPOSITIONS = PLACES | MEANS | SCOPE_PREPOSITIONS | _set("of than about against between per von des du del la entre")
PURPOSES = _set("for as to für als zum zur pour comme para como")
DETERMINERS = _set(
    "a an the our my your their its his her this these those some any each every all der die das den dem ein "
    "eine einen "
    "einem einer unser unsere unserer le la les un une des notre nos l el los las una nuestro nuestra nuestros d s j qu"
)
DEFINITE = _set("the our my der die das unser unsere le la les notre l el los las nuestro nuestra")
# Words that neither change the subject nor the value.
FILLERS = _set(
    "we you i they one us must should shall will would need needs ought now currently still please just decision "
    "already really simply basically then thus so and note muss müssen soll sollen "
    "sollte wir man jetzt bitte nous faut doit doivent maintenant hay que debe deben ahora nosotros "
    "called named heißt heissen appelle llama newer later higher above always immer stets toujours siempre "
    "there here to how well keep keeps kept stay stays remain try sure want wants like "
    "let lets hence therefore however und et y ne zu exactly roughly dass that which or oder ou"
)
NEGATIONS = _set(
    "not never no none nobody nothing neither avoid avoids without nicht nie niemals kein keine keinen "
    "keinem keiner nunca jamás jamais pas aucun aucune sin ohne sans no ninguno ninguna vermeiden éviter evitar"
)
# Enabled, allowed: +1; disabled, forbidden: -1. Both sides say something of the same subject.
POLAR: Mapping[str, int] = {
    **dict.fromkeys(_set("enable enables enabled allow allows allowed permit permits permitted activate activated "
                         "erlaubt erlauben aktiviert autorisé permis permitido activado"), 1),
    **dict.fromkeys(_set("disable disables disabled forbid forbids forbidden prohibit prohibits prohibited disallow "
                         "disallowed deactivate deactivated ban banned verboten deaktiviert interdit interdits "
                         "interdite désactivé prohibido prohibidos desactivado"), -1),
}  # fmt: skip
POSSIBLE = _set("can may might could kann können darf dürfen peut peuvent pouvons puede pueden podemos")
# One of several is told, so another one is no contradiction.
SEVERAL = _set(
    "support supports supported known also too either sometimes example examples available another additional add adds "
    "added adding fix fixed fixes todo include includes including such other others thanks plus besides auch ebenfalls "
    "aussi également también unterstützt unterstützen supporte soporta todos idea ideas option options possible "
    "mögliche"
)
ONLY_THESE = _set("only nur seulement solo sólo")
ONLY = _set("only nur seulement solo sólo except unless besides außer sauf excepto mostly usually often sometimes")
EVERYONE = _set("anyone everyone anybody everybody users people jeder alle everyones tous todos cualquiera")
PRONOUNS = _set("it this that they these those he she es er sie dies il elle ils ça eso esto")
# Auxiliaries of a past tense; with a word of choosing they tell a choice that stands.
DID = _set("had did hatte hatten avait avons")
PAST = DID | _set(
    "took wrote rewrote ran broke crashed got gave said saw told became left came "
    "went-back cost dauerte tenía yesterday formerly previously once earlier früher vorher "
    "gestern autrefois hier antes ayer"
)
# Steps of a history, of which one follows the other.
EVENTS = _set(
    "bump bumps bumped uprev upgrade upgraded upgrades update updated updates released rename renamed"
    " increased decreased raised lowered reduced changed"
)
# "ships with", "works with": one of many things.
ACCOMPANIED = frozenset("ship com work start begin end go".split())
# A number behind one of these names a thing.
IDENTIFIED = _set(
    "stage step phase tier part chapter issue ticket case room team option sprint week quarter build run milestone "
    "experiment section page line pr mr bug adr rfc cve level floor board rev revision lab task story item appendix "
    "figure table woche schritt kapitel étape semaine paso semana capítulo iteration round release "
    "attempt try variant scenario question note record entry"
)
# What a number that ends a statement without a verb is the value of.
MEASURED = _set(
    "size limit rate version port count number timeout threshold interval ttl quota budget length width height "
    "depth max "
    "min retries workers replicas threads capacity latency score offset delay seed epochs"
)
# A subject that is one of these alone says nothing of what is spoken about.
GENERIC = _set(
    "problem issue reason goal idea question bug note todo step thing point fix cause error lesson example task file "
    "result answer way work change option plan topic next attempt test risk advantage benefit trick hint tip follow-up "
    "symptom default value type name detail details more "
    "information info section chapter workaround solution suggestion thought concern blocker worry complaint"
)
ENVIRONMENTS = _set(
    "production staging development test tests testing ci sandbox preview demo qa locally integration e2e unit cluster "
    "laptop workstation simulator hardware emulator produktion entwicklung producción développement"
)
REQUIRED = _set("require required requires conforms follows implements "
                "mandatory needed minimum min needs need target targets faut braucht "
                "benötigt "
                "requiert requis requiere necesita hace")  # fmt: skip
