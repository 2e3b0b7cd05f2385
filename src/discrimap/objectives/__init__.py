"""What is minimised: data in at construction, ``value_and_grad(params)`` out."""
