"""The Fisher information metric of labelled data, and distances in it.

A *field* gives class posteriors at points and along segments (``parzen``, ``classifier``), a *rule*
computes lengths from them (``arc_length``, ``left_endpoint``), ``pairs`` iterates over all pairs in
blocks, and ``geometry`` represents the input. The estimator that combines them is
:class:`discrimap.FisherMetric`.
"""
