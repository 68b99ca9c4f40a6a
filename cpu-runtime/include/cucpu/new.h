#ifndef CUCPU_NEW_H
#define CUCPU_NEW_H
#endif
