/* vector_functions.hpp: everything is in vector_functions.h. */
#ifndef CUCPU_VECTOR_FUNCTIONS_HPP
#define CUCPU_VECTOR_FUNCTIONS_HPP
#include "vector_functions.h"
#endif
