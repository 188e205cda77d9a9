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

// Numbers of a model that may differ between the environments of a chunk.
enum { NACRE_BODY_MASS = 0, NACRE_BODY_INERTIA, NACRE_DOF_DAMPING, NACRE_GEOM_FRICTION, NACRE_FIELDS };

// n states of one model. Where rows is not NULL, row e of it (row long) is written into the fields of the model before
// environment e is stepped; where contact_forces is not 0, mj_rnePostConstraint is called once after every control step.
typedef struct {
  mjModel* model;
  mjData** data;
  int n;
  int contact_forces;
  double* rows;
  int64_t row;
  int fields;
  struct {
    double* at;
    int64_t length;
  } field[NACRE_FIELDS];
} nacre_chunk;

int nacre_header_version(void);
void nacre_install_handlers(void);

int nacre_load(const char* xml, int length, mjModel** model, nacre_fault* fault);
int nacre_make_data(const mjModel* model, mjData** data, nacre_fault* fault);
void nacre_model_sizes(const mjModel* model, nacre_sizes* sizes);

// Address and length of a field of model.
double* nacre_field(mjModel* model, int field, int64_t* length);

int nacre_reset(const mjModel* model, mjData* data, nacre_fault* fault);
int nacre_forward(const nacre_chunk* chunk, int e, nacre_fault* fault);

// Steps every environment with active[e] by nsub mj_step, with ctrl row e (nu long) as its controls. Stops at the
// first environment that raises an error or has a warning on its record.
int nacre_step_chunk(const nacre_chunk* chunk, const double* ctrl, const uint8_t* active, int nsub, nacre_fault* fault);

// The yardstick of the benchmark: the same steps as `steps` chunk steps with ctrl[steps][n][nu], environment after
// environment, in one loop and nothing else.
int nacre_plain_loop(const nacre_chunk* chunk, const double* ctrl, int steps, int nsub, nacre_fault* fault);

// Processor time of the process in seconds.
double nacre_cpu_seconds(void);

#endif
