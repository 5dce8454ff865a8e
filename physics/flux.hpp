// Numerical fluxes of the Euler equations between two states in the frame of the face (gas.hpp), for any scalar of
// physics/scalar.hpp. Each is consistent: F(U, U) = F(U).
#pragma once
#include "physics/gas.hpp"

namespace weir {

// Roe (1981): mean flux minus |A| (U_R - U_L) / 2 at the Roe average. Entropy fix of Harten (1983) for the acoustic
// waves: |x| becomes (x^2 + d^2) / (2 d) below d = fix (|u.n| + a). Contact and shear waves are unchanged, because a
// floor there would thicken boundary layers.
struct Roe {
  double gamma, fix;

  template <class T>
  WEIR_HD T fixed(const T& x, const T& d) const {
    const T size = absolute(x);
    return fix > 0 ? select(size < d, 0.5 * (x * x / d + d), size) : size;
  }
  template <class T>
  WEIR_HD Flux<T> operator()(const Side<T>& l, const Side<T>& r) const {
    const T root_l = square_root(l.rho), root_r = square_root(r.rho);
    const T wr = root_r / (root_l + root_r), rho = root_l * root_r;
    const T un = l.un + wr * (r.un - l.un), ut = l.ut + wr * (r.ut - l.ut), h = l.h + wr * (r.h - l.h);
    const T q2 = 0.5 * (un * un + ut * ut), a2 = (gamma - 1) * (h - q2), a = square_root(a2), inverse = 1.0 / a;
    const T d = fix * (absolute(un) + a);
    const T slow = fixed(un - a, d), fast = fixed(un + a, d), middle = absolute(un);
    const T jump_p = (r.p - l.p) * (inverse * inverse), jump_un = rho * (r.un - l.un) * inverse;
    const T sum = 0.5 * (fast + slow), difference = 0.5 * (fast - slow);
    const T even = sum * jump_p + difference * jump_un, odd = difference * jump_p + sum * jump_un;
    const T mass = even + middle * (r.rho - l.rho - jump_p), shear = middle * rho * (r.ut - l.ut);
    // mass multiplies the mean velocity and q^2 / 2; the acoustic part adds a to the momentum and h to the energy.
    const T energy = mass * q2 + even * (h - q2) + un * a * odd + ut * shear;
    const Flux<T> fl = exact_flux(l), fr = exact_flux(r);
    return {0.5 * (fl.mass + fr.mass - mass), 0.5 * (fl.normal + fr.normal - (un * mass + a * odd)),
            0.5 * (fl.tangent + fr.tangent - (ut * mass + shear)), 0.5 * (fl.energy + fr.energy - energy)};
  }
};

// HLLC (Toro, Spruce & Speares 1994) with the wave speeds of Batten, Clarke, Lambert & Causon (1997): minimum and
// maximum of the side's own speed and the Roe average's.
struct Hllc {
  double gamma;

  template <class T>
  WEIR_HD Flux<T> operator()(const Side<T>& l, const Side<T>& r) const {
    const T root_l = square_root(l.rho), root_r = square_root(r.rho), wr = root_r / (root_l + root_r);
    const T un = l.un + wr * (r.un - l.un), ut = l.ut + wr * (r.ut - l.ut), h = l.h + wr * (r.h - l.h);
    const T a = square_root((gamma - 1) * (h - 0.5 * (un * un + ut * ut)));
    const T slow = smaller_of(l.un - square_root(l.a2), un - a), fast = larger_of(r.un + square_root(r.a2), un + a);
    const T ml = l.rho * (slow - l.un), mr = r.rho * (fast - r.un);
    const T contact = (r.p - l.p + ml * l.un - mr * r.un) / (ml - mr);
    // The side upstream of the contact, and the wave between it and the face: none (speed 0) in supersonic flow.
    const auto right = contact < 0.0;
    const Side<T> k{select(right, r.rho, l.rho), select(right, r.un, l.un), select(right, r.ut, l.ut),
                    select(right, r.p, l.p),     select(right, r.a2, l.a2), select(right, r.h, l.h)};
    const T speed = select(right, fast, slow), gap = speed - k.un;
    const T crossing = select(right, larger_of(speed, T(0.0)), smaller_of(speed, T(0.0)));
    const T rho_star = k.rho * gap / (speed - contact);
    const T e = k.h - k.p / k.rho, e_star = e + (contact - k.un) * (contact + k.p / (k.rho * gap));
    const Flux<T> f = exact_flux(k);
    return {f.mass + crossing * (rho_star - k.rho), f.normal + crossing * (rho_star * contact - k.rho * k.un),
            f.tangent + crossing * (rho_star - k.rho) * k.ut, f.energy + crossing * (rho_star * e_star - k.rho * e)};
  }
};

// AUSM+ (Liou 1996), eqs. 19-24 and 40-42: alpha = 3/16, beta = 1/8, and the interface speed of sound from the
// critical one, which keeps a stationary shock exact.
struct AusmPlus {
  double gamma;

  // Splittings of Mach number and pressure with sign + (s = 1) and - (s = -1).
  template <class T>
  WEIR_HD static T mach_split(const T& m, double s) {
    const T subsonic = (0.25 * s) * square(m + s) + (0.125 * s) * square(m * m - 1.0);
    return select(absolute(m) < 1.0, subsonic, 0.5 * (m + s * absolute(m)));
  }
  template <class T>
  WEIR_HD static T pressure_split(const T& m, double s) {
    const T subsonic = 0.25 * square(m + s) * (2.0 - s * m) + (0.1875 * s) * m * square(m * m - 1.0);
    return select(absolute(m) < 1.0, subsonic, select(m * s < 0.0, T(0.0), T(1.0)));
  }
  template <class T>
  WEIR_HD T critical(const Side<T>& k) const {
    const T a2 = (2 * (gamma - 1) / (gamma + 1)) * k.h;
    return a2 / larger_of(square_root(a2), absolute(k.un));
  }
  template <class T>
  WEIR_HD Flux<T> operator()(const Side<T>& l, const Side<T>& r) const {
    const T a = smaller_of(critical(l), critical(r)), inverse = 1.0 / a;
    const T left = l.un * inverse, right = r.un * inverse;
    const T m = mach_split(left, 1) + mach_split(right, -1);
    const T p = pressure_split(left, 1) * l.p + pressure_split(right, -1) * r.p;
    const T ml = select(m < 0.0, T(0.0), m) * a * l.rho, mr = select(m < 0.0, m, T(0.0)) * a * r.rho;
    return {ml + mr, ml * l.un + mr * r.un + p, ml * l.ut + mr * r.ut, ml * l.h + mr * r.h};
  }
};

// van Leer (1982): flux vector splitting, continuously differentiable in the Mach number.
struct VanLeer {
  double gamma;

  template <class T>
  WEIR_HD Flux<T> split(const Side<T>& k, double s) const {
    const T a = square_root(k.a2), m = k.un / a;
    const T mass = (0.25 * s) * k.rho * a * square(m + s);
    const T speed = ((gamma - 1) * k.un + (2 * s) * a) * (1 / gamma);  // momentum / mass
    const T energy = mass * ((0.5 * gamma * gamma / (gamma * gamma - 1)) * speed * speed + 0.5 * k.ut * k.ut);
    const auto subsonic = absolute(m) < 1.0;
    const auto away = m * s < 0.0;  // supersonic from the other side: zero flux
    const Flux<T> f = exact_flux(k);
    const T zero(0.0);
    return {select(subsonic, mass, select(away, zero, f.mass)),
            select(subsonic, mass * speed, select(away, zero, f.normal)),
            select(subsonic, mass * k.ut, select(away, zero, f.tangent)),
            select(subsonic, energy, select(away, zero, f.energy))};
  }
  template <class T>
  WEIR_HD Flux<T> operator()(const Side<T>& l, const Side<T>& r) const {
    const Flux<T> a = split(l, 1), b = split(r, -1);
    return {a.mass + b.mass, a.normal + b.normal, a.tangent + b.tangent, a.energy + b.energy};
  }
};

// Rusanov (1961): dissipation with the larger spectral radius of the two sides.
struct Rusanov {
  double gamma;

  template <class T>
  WEIR_HD Flux<T> operator()(const Side<T>& l, const Side<T>& r) const {
    const T fastest = larger_of(absolute(l.un) + square_root(l.a2), absolute(r.un) + square_root(r.a2));
    const Flux<T> fl = exact_flux(l), fr = exact_flux(r);
    return {0.5 * (fl.mass + fr.mass - fastest * (r.rho - l.rho)),
            0.5 * (fl.normal + fr.normal - fastest * (r.rho * r.un - l.rho * l.un)),
            0.5 * (fl.tangent + fr.tangent - fastest * (r.rho * r.ut - l.rho * l.ut)),
            0.5 * (fl.energy + fr.energy - fastest * (r.rho * r.h - r.p - l.rho * l.h + l.p))};
  }
};

}  // namespace weir
