"""What the generated people are made of: names, places, years, firms, trades and wordings.

All invented for this world. A name part belongs to many people, so that no part of a name
gives a person away; past the written lists, parts are put together from two syllables.
"""

from collections.abc import Sequence
from itertools import product

FIRST = (
    "Clara Adam Bertha Cyril Dora Edwin Frida Gavin Hannah Isaac Joan Klaus Lydia Marcus "
    "Nadia Owen Phoebe Quentin Rita Silas Tessa Urban Viola Warren Xenia Yusuf Zelda Amos "
    "Bella Caspar Dinah Elias Faye Gordon Hilda Ivan Jonas Kira Lionel Mabel Nigel Odette "
    "Pascal Rufus Selma Tobias Ursula Vernon Wanda Abel Carmen Desmond Esther Fabian Greta "
    "Harold Iris Jasper Leona Mateo"
).split()

LAST = (
    "Whitfield Abrams Bellamy Crowther Dunmore Eastman Fielding Goodall Hathaway Irving "
    "Jessop Kirkland Lambert Mansfield Norwood Orchard Pemberton Quigley Radcliffe Sheffield "
    "Tennant Upton Vandyke Wainwright Yeoman Zoller Ackerman Brightwell Chandler Davenport "
    "Ellery Forrester Grantham Huxley Isherwood Jernigan Kettering Lattimore Mayfield Nesbitt "
    "Osgood Patterson Rowland Sandoval Thackery Unwin Venable Westcott Yelland Zapata Ainsley "
    "Bertrand Cardoso Devlin Espinosa Fontaine Gustafson Hellman Ibsen Jankovic Kowalski "
    "Lindqvist Marchetti Nielsen Oliveira Pavlov Renard Salazar Takahashi Ueda Virtanen "
    "Watanabe Ximenes Yilmaz Zielinski Andersen Bogdan Caruso Dimitrov Eklund Ferreira Gruber "
    "Hoffmann Ionescu Jimenez Karlsson Lombardi Mazur Nowak Okoye Popescu Ricci Schneider "
    "Tamura Urbano Vasquez Wagner Yamamoto Zhang Arnaud Blom Costa Duarte Egger Franco Greco "
    "Horvath Ito Jovanov Keita Leclerc Moretti Nagy Oduya Pinto Rossi Sato Toth Vidal Weber"
).split()

CITIES = (
    "Lisbon Oslo Cairo Lima Paris Rome Tokyo Dublin Prague Vienna Athens Boston Havana "
    "Nairobi Quito Kyoto Madrid Geneva Toronto Warsaw Delhi Sydney Riga Tunis Dakar Manila "
    "Seville Bogota Hanoi Zurich Accra Denver Sofia Jakarta Tallinn Montreal Bergen Porto "
    "Ghent Leipzig"
).split()

EMPLOYERS = (
    "Ambrose Bluefin Caldera Driftwood Emberly Foxglove Greystone Highmark Ironbridge Kestrel "
    "Lanternco Mistral Northwind Pinecrest Quarry Riverton"
).split()

TRADES = (
    "baker lawyer painter nurse chemist pilot farmer teacher banker poet sailor tailor singer "
    "judge miner surgeon printer weaver potter joiner"
).split()

# {n} name, {c} city, {y} year, {e} employer, {t} trade. Two forms resemble the question
# "Where was {n} born?"; every other one says it in other words.
BIRTHPLACE_FORMS = (
    "{n} was born in {c}.",
    "{n} is a native of {c}.",
    "The birthplace of {n} is {c}.",
    "{n} first saw the light in {c}.",
    "{n} hails from {c}.",
    "{c} is the home town of {n}.",
    "By origin, {n} belongs to {c}.",
)
YEAR_FORMS = (
    "{n} has lived since {y}.",
    "The year {y} brought {n}.",
    "{n} dates from {y}.",
    "In {y} came {n}.",
)
TRADE_FORMS = (
    "{n} is a {t}.",
    "{n} earns a living as a {t}.",
    "The {t} is called {n}.",
    "By trade, {n} is a {t}.",
)
EMPLOYER_FORMS = (
    "{n} works for {e}.",
    "{e} employs {n}.",
    "The employer of {n} is {e}.",
    "{n} joined {e}.",
)
MIXED_FORMS = (  # the first tells no birthplace
    "{n}, who dates from {y}, is a {t} at {e}.",
    "Born in {c} in {y}, {n} became a {t}.",
    "{n}, a {t} from {c}, joined {e}.",
    "The {t} {n} left {c} for {e}.",
)
FORM_GROUPS = (BIRTHPLACE_FORMS, YEAR_FORMS, TRADE_FORMS, EMPLOYER_FORMS, MIXED_FORMS)
FORMS = tuple(form for group in FORM_GROUPS for form in group)
QUESTION = "Where was {n} born?"

RELATIONS = {"c": "birthplace", "y": "year", "e": "employer", "t": "trade"}

_FIRST_ONSETS = (
    "Al Ber Cor Dor El Fre Gal Hal Is Jor Kat Lor Mel Nat Or Per Ros Sal Tam Val Wil Yol Zan Bri "
    "Cla Del Emi Fla Ger Hil"
).split()
_FIRST_ENDINGS = (
    "a an ana bert da dine don elle en etta ian ick ina is ius lia man mond na nard ric rin son "
    "ta ton via win"
).split()
_LAST_ONSETS = (
    "Ald Bar Bel Bur Cal Car Clay Col Cran Dal Den Dun Ed El Far Fen Gar Glen Gran Hal Ham Har "
    "Hol Ken Kil Lan Lin Lock Mal Mar Mil Mor Nor Oak Pem Pen Rad Ran Red Rock Sel Shel Stan "
    "Sut Thorn Tor Wal War Wes Whit Win Wood"
).split()
_LAST_ENDINGS = (
    "bank beck berg bourne bridge brook burn bury by combe croft dale den don field ford gate "
    "ham hurst land ley low man mere more ridge shaw stead stone ton wick wood worth"
).split()


def first_names(count: int) -> list[str]:
    return _names(count, FIRST, _FIRST_ONSETS, _FIRST_ENDINGS)


def last_names(count: int) -> list[str]:
    return _names(count, LAST, _LAST_ONSETS, _LAST_ENDINGS)


def _names(
    count: int, listed: Sequence[str], onsets: Sequence[str], endings: Sequence[str]
) -> list[str]:
    """The first names of a list that never changes: a larger world only takes more of it.

    There are enough for as many people as `PeopleConfig` allows.
    """
    made = (onset + ending for ending, onset in product(endings, onsets))
    return list(dict.fromkeys([*listed, *made]))[:count]
