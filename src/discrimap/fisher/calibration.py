"""Calibration of scores of held-out samples: class probabilities, or the error of a number."""

import numpy as np
from scipy import optimize

# Samples that one temperature and one offset for each class are fitted to.
MOST_SAMPLES = 10_000


def softmax(logits):
    """Class probabilities over the last axis."""
    probabilities = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    return probabilities


def calibrate_classes(scores, labels):
    """Temperature and offsets of the likeliest ``softmax(temperature * scores + offsets)``.

    The descent begins at the temperature 0, where every sample has the class frequencies: scores
    that say nothing about held-out labels stay there, and their probabilities are flat. Offsets
    have a weak Gaussian prior around the class frequencies, so that a class without samples stays
    finite.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Scores of samples by models that have not seen their labels.
    labels : ndarray of shape (n_samples,)
        Class indices.

    Returns
    -------
    temperature : float
        Not negative.
    offsets : ndarray of shape (n_classes,)
    """
    scores = np.asarray(scores, dtype=np.float64)
    n_samples, n_classes = scores.shape
    counts = np.bincount(labels, minlength=n_classes)
    prior = np.log(counts + 1.0) - np.log(n_samples + n_classes)
    onehot = np.eye(n_classes)[labels]

    def cost(parameters):
        temperature, shift = parameters[0], parameters[1:]
        logits = temperature * scores + prior + shift
        logits -= logits.max(axis=1, keepdims=True)
        log_total = np.log(np.exp(logits).sum(axis=1, keepdims=True))
        excess = np.exp(logits - log_total) - onehot
        value = (log_total[:, 0] - (logits * onehot).sum(axis=1)).sum() + 0.5 * shift @ shift
        slope = np.concatenate([[np.vdot(excess, scores)], excess.sum(axis=0) + shift])
        return value / n_samples, slope / n_samples

    found = optimize.minimize(
        cost,
        np.zeros(n_classes + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] + [(None, None)] * n_classes,
    )
    return float(found.x[0]), prior + found.x[1:]


def calibrate_numbers(predictions, targets):
    """Slope of targets on predictions, and the covariance of the errors.

    Predictions of held-out samples that say nothing have the slope 0.

    Parameters
    ----------
    predictions, targets : ndarray of shape (n_samples, n_targets)
        Predictions by models that have not seen the targets, both less the mean of the targets.

    Returns
    -------
    slope : float
        Between 0 and 1.
    covariance : ndarray of shape (n_targets, n_targets)
    """
    power = np.vdot(predictions, predictions)
    slope = float(np.clip(np.vdot(predictions, targets) / power, 0, 1)) if power > 0 else 0.0
    errors = targets - slope * predictions
    return slope, errors.T @ errors / len(errors)
