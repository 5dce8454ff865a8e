// A left ventricle: the cavity of a prolate spheroid, cut off by a flat base that holds two round openings, the mitral inlet
// and the aortic outlet. Its wall moves so that the volume follows VolumeLaw to round-off; what the volume gains comes in
// through the mitral patch, what it loses leaves through the aortic one.
//
//                 base (patch "base", with "mitral" and "aortic")    z = 0 of its own frame
//               +------====----==----+
//               |                    |      <- equator, `base_height` below the base
//                \                  /
//                  \              /        patch "wall"
//                     ` ------ '          apex, at z = -(length + base_height)
//
// The ellipsoid of Land et al. 2015 (Proc. R. Soc. A 471:20150641, problem 2) has radius 7, length 17, base_height 5 mm;
// times 3.8 it is human.
#pragma once
#include <array>
#include <vector>

#include "mesh/body/motion/motion_laws.hpp"
#include "mesh/body/surface.hpp"
#include "physics/body_motion.hpp"

namespace weir {

// The volume of a left ventricle through the beat: it fills by the E wave (early) and the A wave (atrial) and empties by
// systole, each a smooth pulse (flow_wave of physics/body_motion.hpp):
//
//   V(t) / V_end_diastolic = 1 - f + f (e I((t - t_E) / d_E) + (1 - e) I((t - t_A) / d_A) - I((t - t_S) / d_S)),
//
// f: ejection fraction, e: the share of the E wave, from the ratio of the peak rates. t = 0 is the end of systole.
struct VolumeLaw {
  double period = 1;
  double ejection_fraction = 0.6;
  double ea_ratio = 1.2;  // peak rate of the E wave over that of the A wave
  // Begin and end of each wave, in periods; they follow each other.
  std::array<double, 2> e_wave{0, 0.33}, a_wave{0.42, 0.6}, systole{0.64, 1};

  // Of the volume at the end of diastole.
  ValueAndRate volume(double t) const;
};

struct LeftVentricleOptions {
  double radius = 7, length = 17, base_height = 5;  // semi-axes at the end of diastole
  double longitudinal =
      1.0 / 3;  // share of the long axis in log V: z by q^longitudinal, x and y by q^((1 - longitudinal) / 2)
  // Centres along x and radii, in radii of the base's rim.
  double mitral_centre = -0.42, mitral_radius = 0.44, aortic_centre = 0.55, aortic_radius = 0.32;
  double profile = 6;  // of the velocity in an opening: 1 - (r / R)^profile
  VolumeLaw law;
};

// A patch that lets fluid through, along the body's own z.
struct Opening {
  int patch;
  std::vector<double> weight;  // of each node of the surface: the velocity's profile, 0 at the rim and outside
};

struct LeftVentricle {
  Surface surface;  // at the end of diastole; a cavity
  Opening mitral, aortic;
  MotionLaw stretch;  // gives the volume
};

LeftVentricle make_left_ventricle(const LeftVentricleOptions& options, double spacing);

}  // namespace weir
