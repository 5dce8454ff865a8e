#!/usr/bin/env python3
"""Density of the shock-entropy wave of Shu and Osher (J. Comput. Phys. 83 (1989) 32, example 8) at t = 1.8, for comparison: WENO5.

    shu_osher.py [CELLS] > shu_osher_t1.8.csv       3,200 cells if not given: two minutes

Mach 3 shock at x = -4 into density 1 + 0.2 sin 5x. Method independent of Weir's: finite differences of fifth order (Jiang & Shu, J. Comput.
Phys. 126 (1996) 202), Lax-Friedrichs splitting of the fluxes, Runge-Kutta steps of third order. The values of half as many cells are the
estimate of the error, written into the header.
"""
import sys

import numpy as np

GAMMA, LEFT, RIGHT, END = 1.4, -5.0, 5.0, 1.8


def initial(x):
    behind = x < -4
    rho = np.where(behind, 27 / 7, 1 + 0.2 * np.sin(5 * x))
    u = np.where(behind, 4 * np.sqrt(35) / 9, 0.0)
    p = np.where(behind, 31 / 3, 1.0)
    return np.array([rho, rho * u, p / (GAMMA - 1) + 0.5 * rho * u * u])


def flux_and_speed(U):
    rho, u = U[0], U[1] / U[0]
    p = (GAMMA - 1) * (U[2] - 0.5 * rho * u * u)
    return np.array([U[1], U[1] * u + p, (U[2] + p) * u]), np.max(np.abs(u) + np.sqrt(GAMMA * p / rho))


def weno5(a, b, c, d, e):
    """The value at the right face of c, for a function with the averages a to e."""
    candidates = (2 * a - 7 * b + 11 * c) / 6, (-b + 5 * c + 2 * d) / 6, (2 * c + 5 * d - e) / 6
    smoothness = (
        13 / 12 * (a - 2 * b + c) ** 2 + 0.25 * (a - 4 * b + 3 * c) ** 2,
        13 / 12 * (b - 2 * c + d) ** 2 + 0.25 * (b - d) ** 2,
        13 / 12 * (c - 2 * d + e) ** 2 + 0.25 * (3 * c - 4 * d + e) ** 2,
    )
    weights = [g / (1e-6 + s) ** 2 for g, s in zip((0.1, 0.6, 0.3), smoothness)]
    return sum(w * q for w, q in zip(weights, candidates)) / sum(weights)


def rate(U, dx):
    U = np.concatenate([U[:, :1]] * 3 + [U] + [U[:, -1:]] * 3, axis=1)  # both ends stay at rest
    F, speed = flux_and_speed(U)
    n = U.shape[1]
    up, down = 0.5 * (F + speed * U), 0.5 * (F - speed * U)
    face = weno5(*(up[:, k : n - 5 + k] for k in range(5))) + weno5(*(down[:, 5 - k : n - k] for k in range(5)))
    return (face[:, :-1] - face[:, 1:]) / dx


def density(cells):
    dx = (RIGHT - LEFT) / cells
    U = initial(LEFT + (np.arange(cells) + 0.5) * dx)
    t = 0.0
    while t < END:
        dt = min(0.5 * dx / flux_and_speed(U)[1], END - t)
        V = U + dt * rate(U, dx)
        V = 0.75 * U + 0.25 * (V + dt * rate(V, dx))
        U = U / 3 + 2 / 3 * (V + dt * rate(V, dx))
        t += dt
    return U[0]


def main():
    cells, points = int(sys.argv[1]) if len(sys.argv) > 1 else 3200, 400
    fine, half = (density(n).reshape(points, -1).mean(axis=1) for n in (cells, cells // 2))
    print("# Shock-entropy wave (Shu & Osher, J. Comput. Phys. 83 (1989) 32, example 8), t = 1.8: mean density of each of 400 equal intervals.")
    print("# Source: postproc/reference/shu_osher.py %d. Mean difference to half as many cells: %.1e." % (cells, np.mean(np.abs(fine - half))))
    print("x,density,part")
    for k in range(points):
        x = LEFT + (k + 0.5) * (RIGHT - LEFT) / points
        print("%.4f,%.6f,%s" % (x, fine[k], "waves" if 0.6 < x < 2.2 else "rest"))  # behind the shock, without shocklets


if __name__ == "__main__":
    main()
