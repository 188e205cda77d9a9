// Guarded entry points to libmujoco, which nacre_open loads; it must have succeeded before any of the others is called.
// Every function that takes a fault may be left by MuJoCo's error handler; it then returns NACRE_ERROR and leaves the
// text in fault->text.
#ifndef NACRE_CHUNK_H
#define NACRE_CHUNK_H

#include <mujoco/mujoco.h>
#include <stdint.h>

// The layout of mjModel and mjData changes with every release.
#if mjVERSION_HEADER != 330
#error "nacre is written for the headers of MuJoCo 3.3.0; make setup fetches them"
#endif

enum { NACRE_OK = 0, NACRE_ERROR = 1, NACRE_WARNING = 2 };

typedef struct {
  int env;         // environment that failed, -1 if none did
  char text[512];  // what MuJoCo said
} nacre_fault;

typedef struct {
  int64_t nq, nv, nu, nbody, ngeom, nsite, nmocap;
  double timestep;
} nacre_sizes;

// Numbers of a model that may differ between the environments of a chunk.
enum {
  NACRE_BODY_MASS = 0,
  NACRE_BODY_INERTIA,
  NACRE_DOF_DAMPING,
  NACRE_GEOM_FRICTION,
  NACRE_BODY_POS,
  NACRE_SITE_POS,
  NACRE_FIELDS
};

// n states of one model, which is only read. Where fields vary, `own` is a second head of the model: a copy of the
// struct but not of the arrays it points to. Before environment e is stepped, the pointers of the varied fields are set
// to row e of rows (row long). Where nothing varies, `own` is the model itself.
typedef struct {
  mjModel* own;
  mjData** data;
  int n;
  int contact_forces;  // call mj_rnePostConstraint once after every control step
  int forward;         // call mj_forward once after every control step
  int mocap;           // a row of controls ends with position and quaternion of every mocap body
  double* rows;
  int64_t row;
  int fields;
  struct {
    double** at;
    int64_t length;
  } field[NACRE_FIELDS];
} nacre_chunk;

typedef struct {
  int version;      // as mj_version tells it, 0 where it was not asked
  char path[4096];  // of the file that was loaded
} nacre_library;

// Loads the library called name, a path or a name that the system's loader looks up. NACRE_WARNING is a library of another
// version than the headers', which is closed again; NACRE_ERROR leaves the loader's words in fault->text.
int nacre_open(const char* name, nacre_library* library, nacre_fault* fault);
int nacre_header_version(void);

int nacre_load(const char* xml, int length, mjModel** model, nacre_fault* fault);
int nacre_load_file(const char* path, mjModel** model, nacre_fault* fault);
int nacre_make_data(const mjModel* model, mjData** data, nacre_fault* fault);
void nacre_delete_model(mjModel* model);
void nacre_delete_data(mjData* data);
void nacre_model_sizes(const mjModel* model, nacre_sizes* sizes);

// The number of a named object, -1 if there is none; the name of a numbered one, NULL if it has none.
int nacre_id(const mjModel* model, int kind, const char* name);
const char* nacre_name(const mjModel* model, int kind, int id);

// Where model keeps the address of a field, and the field's length.
double** nacre_field(mjModel* model, int field, int64_t* length);
// A second head of model, to be freed with free.
mjModel* nacre_head(const mjModel* model);

// Overwrites the numbers of every weld constraint: anchor, relative pose, torque scale.
void nacre_set_welds(mjModel* model, const double* anchor, const double* pos, const double* quat, double torque_scale);

// Makes collisions of convex shapes those of MuJoCo before 3.2.
void nacre_disable_native_ccd(mjModel* model);
// Makes gravity not act on a body.
void nacre_compensate_gravity(mjModel* model, int body);

int nacre_reset(const nacre_chunk* chunk, int e, nacre_fault* fault);
int nacre_forward(const nacre_chunk* chunk, int e, nacre_fault* fault);
// n mj_step of environment e with the controls that lie in its state.
int nacre_advance(const nacre_chunk* chunk, int e, int n, nacre_fault* fault);

// *to becomes a copy of from; it is made if it is NULL.
int nacre_copy(const mjModel* model, mjData** to, const mjData* from, nacre_fault* fault);

// Sum of the normal forces of the contacts between two geoms.
double nacre_touch(const mjData* data, int geom1, int geom2);

// Steps every environment with active[e] by nsub mj_step, with ctrl row e as its controls. Stops at the
// first environment that raises an error or has a warning on its record.
int nacre_step_chunk(const nacre_chunk* chunk, const double* ctrl, const uint8_t* active, int nsub, nacre_fault* fault);

// What the benchmark compares with: the same steps as `steps` chunk steps with ctrl[steps][n][row of controls], environment after
// environment, in one loop and nothing else.
int nacre_plain_loop(const nacre_chunk* chunk, const double* ctrl, int steps, int nsub, nacre_fault* fault);

// Processor time of the process in seconds.
double nacre_cpu_seconds(void);

#endif
