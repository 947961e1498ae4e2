"""English forms that no rule leads back to their word: went, bought, children."""

from __future__ import annotations

__all__ = ["IRREGULAR_FORMS"]


def _forms(text: str) -> dict[str, str]:
    """Each form with its word, from lines of ``word form form …``."""
    lines = [line.split() for line in text.strip().split(";")]
    return {form: word for word, *forms in lines for form in forms}


# Left out where a form is a common word of its own: saw, found, left, felt, ground, lay, wound,
# lives, leaves.
IRREGULAR_FORMS = _forms("""
    arise arose arisen; awake awoke awoken; bear bore borne; beat beaten; become became;
    begin began begun; bend bent; bind bound; bite bit bitten; bleed bled; blow blew
    blown; break broke broken; breed bred; bring brought; build built; burn burnt; buy bought;
    catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt;
    dig dug; do did done does; draw drew drawn; dream dreamt; drink drank drunk; drive drove driven;
    eat ate eaten; fall fell fallen; feed fed; fight fought; flee fled; fly flew flown;
    forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
    freeze froze frozen; get got gotten; give gave given; go went gone goes; grow grew grown;
    hang hung; have has had; hear heard; hide hid hidden; hold held; keep kept; kneel knelt;
    know knew known; lead led; lean leant; leap leapt; learn learnt; lend lent; lie lying;
    light lit; lose lost; make made; mean meant; meet met; pay paid; prove proven; ride rode ridden;
    ring rang rung; rise rose risen; run ran; say said; see seen; seek sought; sell sold; send sent;
    shake shook shaken; shine shone; shoot shot; show shown; shrink shrank shrunk; sing sang sung;
    sink sank sunk; sit sat; sleep slept; slide slid; speak spoke spoken; speed sped; spell spelt;
    spend spent; spill spilt; spin spun; spoil spoilt; spring sprang sprung; stand stood;
    steal stole stolen; stick stuck; sting stung; strike struck; swear swore sworn;
    sweep swept; swell swollen; swim swam swum; swing swung; take took taken; teach taught;
    tear tore torn; tell told; think thought; throw threw thrown; understand understood;
    wake woke woken; wear wore worn; weave wove woven; weep wept; win won; write wrote written;
    withdraw withdrew withdrawn;
    child children; man men; woman women; person people; foot feet; tooth teeth; goose geese;
    mouse mice; wife wives; knife knives; shelf shelves; half halves;
    wolf wolves; loaf loaves; thief thieves; self selves
""")
