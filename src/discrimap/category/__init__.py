"""Category space (Smith and Rangarajan): one orthonormal axis per class."""
