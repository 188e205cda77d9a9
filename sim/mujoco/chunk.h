// Guarded entry points to libmujoco. Every function here may be left by MuJoCo's error handler; it then returns
// NACRE_ERROR and leaves the text in fault->text.
#ifndef NACRE_CHUNK_H
#define NACRE_CHUNK_H

#include <mujoco/mujoco.h>
#include <stdint.h>

enum { NACRE_OK = 0, NACRE_ERROR = 1, NACRE_WARNING = 2 };

typedef struct {
  int env;         // environment that failed, -1 if none did
  char text[512];  // what MuJoCo said
} nacre_fault;

typedef struct {
  int64_t nq, nv, nu, nbody;
  double timestep;
} nacre_sizes;

int nacre_header_version(void);
void nacre_install_handlers(void);

int nacre_load(const char* xml, int length, mjModel** model, nacre_fault* fault);
int nacre_make_data(const mjModel* model, mjData** data, nacre_fault* fault);
void nacre_model_sizes(const mjModel* model, nacre_sizes* sizes);

int nacre_reset(const mjModel* model, mjData* data, nacre_fault* fault);
int nacre_forward(const mjModel* model, mjData* data, nacre_fault* fault);

// Steps every environment with active[e] by nsub mj_step, with ctrl row e (nu long) as its controls. Stops at the
// first environment that raises an error or has a warning on its record.
int nacre_step_chunk(const mjModel* model, mjData** data, const double* ctrl, const uint8_t* active, int n, int nsub,
                     nacre_fault* fault);

// The yardstick of the benchmark: the same steps as `steps` chunk steps with ctrl[steps][n][nu], environment after
// environment, in one loop and nothing else.
int nacre_plain_loop(const mjModel* model, mjData** data, const double* ctrl, int steps, int n, int nsub,
                     nacre_fault* fault);

// Processor time of the process in seconds.
double nacre_cpu_seconds(void);

#endif
