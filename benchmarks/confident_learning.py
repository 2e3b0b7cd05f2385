"""Confident learning as published, to compare with the estimate of discrimap.

Northcutt, Jiang and Chuang, "Confident learning: estimating uncertainty in dataset labels", Journal of
Artificial Intelligence Research 70 (2021), Sec. 3: Eqs. 1 and 2 (thresholds, confident joint) and Eq. 3
(its rows scaled to the number of samples of each class).
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

N_FOLDS = 5


def logistic_probabilities(X, given, seed):
    """Cross-validated class probabilities of a logistic regression of standardised features."""
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    return cross_val_predict(model, X, given, cv=folds, method="predict_proba")


def list_wrong(probabilities, given):
    """The samples that are listed as wrong: as many as are estimated, by their margin."""
    place = np.arange(len(given))
    others = probabilities.copy()
    others[place, given] = -1.0
    margin = others.max(axis=1) - probabilities[place, given]
    n_wrong = min(round(n_estimated(probabilities, given)), np.count_nonzero(margin > 0))
    return np.argsort(-margin, kind="stable")[:n_wrong]


def n_estimated(probabilities, given):
    """The estimated number of wrong labels: what is off the diagonal of the calibrated joint."""
    n_classes = probabilities.shape[1]
    n_given = np.bincount(given, minlength=n_classes)
    thresholds = [probabilities[given == c, c].mean() for c in range(n_classes)]
    confident = np.where(probabilities >= thresholds, probabilities, -1.0)
    is_counted = (confident >= 0).any(axis=1)
    joint = np.zeros((n_classes, n_classes))
    np.add.at(joint, (given[is_counted], confident[is_counted].argmax(axis=1)), 1)
    joint *= (n_given / np.maximum(joint.sum(axis=1), 1))[:, None]
    return joint.sum() - np.trace(joint)
