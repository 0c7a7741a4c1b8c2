"""Training packages kept out while settings are chosen (`train.py --validate 1`, `validate.py`)."""

SPLIT = (
    "celery",
    "werkzeug",
    "textual",
    "seaborn",
    "boltons",
    "tornado",
    "pypdf",
    "trio",
    "ramda",
    "mongoose",
    "rxjs",
    "typeorm",
)
