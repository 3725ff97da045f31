"""Draw the certificate of a model on mushrooms: writes docs/images/certificate.png.

python tools/draw_certificate.py
"""

from __future__ import annotations

import numpy as np
import results_page
from matplotlib.figure import Figure

from onlineboost import OSBoostClassifier, Perceptron


def main() -> None:
    """Learn one random order with and without margin_scale, and draw both certificates side by side."""
    X, y = results_page.load("mushrooms")
    order = np.random.default_rng(0).permutation(len(y))
    figure = Figure(figsize=(11, 4.2), layout="constrained")
    for axes, scale in zip(figure.subplots(1, 2, sharey=True), (1.0, 8.0), strict=True):
        model = OSBoostClassifier(Perceptron(), 100, margin_scale=scale, random_state=0)
        model.partial_fit(X[order], y[order])
        certificate = model.certificate()
        certificate.plot(axes)
        axes.set_title(f"mushrooms, margin_scale = {scale:g}", loc="left", fontsize=11)
        print(certificate.summary())
    figure.axes[1].set_ylabel("")
    path = results_page.ROOT / "docs" / "images" / "certificate.png"
    figure.savefig(path, dpi=110)
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
