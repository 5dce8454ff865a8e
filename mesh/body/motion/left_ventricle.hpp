// A left ventricle: a cavity bounded by a prolate spheroid and a flat base with two round openings, the mitral inlet
// and the aortic outlet. The volume of the moving wall follows VolumeLaw to rounding; inflow passes the mitral patch,
// outflow the aortic one.
//
//                 base (patch "base", with "mitral" and "aortic")    z = 0 of its own frame
//               +------====----==----+
//               |                    |      <- equator, `base_height` below the base
//                \                  /
//                  \              /        patch "wall"
//                     ` ------ '          apex, at z = -(length + base_height)
//
// The ellipsoid of Land et al. 2015 (Proc. R. Soc. A 471:20150641, problem 2) has radius 7, length 17, base_height 5
// mm; human size is 3.8 times that.
#pragma once
#include <array>
#include <vector>

#include "mesh/body/motion/motion_laws.hpp"
#include "mesh/body/surface.hpp"
#include "physics/body_motion.hpp"

namespace weir {

// Volume of a left ventricle during the beat: filling by the E wave (early) and the A wave (atrial), emptying in
// systole, each a smooth pulse (flow_wave of physics/body_motion.hpp):
//
//   V(t) / V_end_diastolic = 1 - f + f (e I((t - t_E) / d_E) + (1 - e) I((t - t_A) / d_A) - I((t - t_S) / d_S)),
//
// f: ejection fraction, e: share of the E wave, from the ratio of the peak rates. t = 0 is the end of systole.
struct VolumeLaw {
  double period = 1;
  double ejection_fraction = 0.6;
  double ea_ratio = 1.2;  // peak rate of the E wave over that of the A wave
  // Start and end of each wave in periods; they do not overlap.
  std::array<double, 2> e_wave{0, 0.33}, a_wave{0.42, 0.6}, systole{0.64, 1};

  // Volume relative to the end-diastolic volume, and its rate.
  ValueAndRate volume(double t) const;
};

struct LeftVentricleOptions {
  double radius = 7, length = 17, base_height = 5;  // semi-axes at end diastole
  // Share of the long axis in log V: z is stretched by q^longitudinal, x and y by q^((1 - longitudinal) / 2).
  double longitudinal = 1.0 / 3;
  // Centres along x and radii, in radii of the base.
  double mitral_centre = -0.42, mitral_radius = 0.44, aortic_centre = 0.55, aortic_radius = 0.32;
  double profile = 6;  // exponent of the velocity in an opening: 1 - (r / R)^profile
  VolumeLaw law;
};

// An opening for fluid along the body's z axis.
struct Opening {
  int patch;
  std::vector<double> weight;  // per node of the surface: velocity profile, 0 at the rim and outside
};

struct LeftVentricle {
  Surface surface;  // a cavity at end diastole
  Opening mitral, aortic;
  MotionLaw stretch;  // prescribes the volume
};

LeftVentricle make_left_ventricle(const LeftVentricleOptions& options, double spacing);

}  // namespace weir
