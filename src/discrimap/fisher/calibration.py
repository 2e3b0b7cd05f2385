"""Calibration of scores of held-out samples: class probabilities, or the error of a number."""

import numpy as np
from scipy import optimize

# Samples that one temperature and one offset for each class are fitted to.
MOST_SAMPLES = 10_000


def softmax(logits: np.ndarray) -> np.ndarray:
    """Class probabilities over the last axis."""
    probabilities = np.exp(logits - logits.max(axis=-1, keepdims=True))
    probabilities /= probabilities.sum(axis=-1, keepdims=True)
    return probabilities


def calibrate_classes(scores: np.ndarray, labels: np.ndarray) -> tuple[float, np.ndarray]:
    """Temperature and offsets of ``softmax(temperature * scores + offsets)`` by maximum likelihood.

    At the temperature 0 every sample has the class frequencies. The temperature is 0 unless the
    log-likelihood of the held-out labels gains more than two standard errors over that: the width
    was chosen by the same labels, and the best of several finds a little in noise. Offsets have a
    weak Gaussian prior around the class frequencies, so that a class without samples stays finite.

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

    def log_probabilities(temperature, shift):
        logits = temperature * scores + prior + shift
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))

    def cost(parameters):
        temperature, shift = parameters[0], parameters[1:]
        logs = log_probabilities(temperature, shift)
        excess = np.exp(logs) - onehot
        value = -np.vdot(logs, onehot) + 0.5 * shift @ shift
        slope = np.concatenate([[np.vdot(excess, scores)], excess.sum(axis=0) + shift])
        return value / n_samples, slope / n_samples

    found = optimize.minimize(
        cost,
        np.zeros(n_classes + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] + [(None, None)] * n_classes,
    )
    temperature, shift = float(found.x[0]), found.x[1:]
    flat = np.zeros_like(shift)
    gain = log_probabilities(temperature, shift) - log_probabilities(0.0, flat)
    if not is_gain(gain[np.arange(n_samples), labels]):
        return 0.0, prior
    return temperature, prior + shift


def is_gain(gains):
    """Whether the mean of independent gains is more than two standard errors above zero."""
    return gains.mean() > 2 * gains.std() / np.sqrt(len(gains))


def calibrate_numbers(predictions: np.ndarray, targets: np.ndarray) -> tuple[float, np.ndarray]:
    """Slope of targets on predictions, and the covariance of the errors.

    The slope is 0 unless squared errors fall by more than two standard errors.

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
    if not is_gain((np.square(targets) - np.square(errors)).sum(axis=1)):
        slope, errors = 0.0, targets
    return slope, errors.T @ errors / len(errors)
