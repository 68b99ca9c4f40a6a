// RUN: %device %s | FileCheck %s
// RUN: %host %s > /dev/null
// CHECK: define {{.*}}ptx_kernel
#include <cmath>
#include <complex>
#include <algorithm>
#include <limits>
#include <type_traits>
#include <tuple>
#include <array>
#include <utility>
#include <new>
#include <cstdio>
#include <iostream>
#include <vector>
#include <string>
#include <map>
#include <random>
#include <chrono>
#include <memory>
#include <functional>
#include <thread>
#include <cassert>
#include <cstdint>
#include <cfloat>
#include <numeric>
#include <fstream>
#include <sstream>
__global__ void k(float *p, double *q, int n, long l, long long ll){ std::complex<float> a(p[0],p[1]), b(p[2],1); auto c = a*b + a/b; p[0]=c.real()+std::abs(c); std::array<int,3> ar{1,2,3}; std::tuple<int,float> t{1,2.f}; p[1]=std::get<1>(t)+ar[n%3]+std::numeric_limits<float>::max()+std::max(1,n)+std::min(p[0],p[2]); std::pair<int,int> pr(1,2); p[3]=pr.first;  q[0]=std::abs(l)+std::abs(ll)+std::abs(q[1])+abs(ll)+abs(l)+abs(q[2])+abs(p[2])+labs(l)+llabs(ll)+std::abs(n); q[1]=std::sin(q[0])+std::pow(q[1],2)+pow(q[0],3)+pow(p[0],2)+pow(p[0],p[1])+std::fma(q[0],q[1],q[2])+std::isnan(q[0])+isnan(p[0])+isinf(q[0])+std::isfinite(p[0])+signbit(p[0])+std::hypot(q[0],q[1])+std::erf(p[0])+std::round(q[0])+std::exp(n)+sqrt(n)+std::floor(p[0])+fmod(q[0],q[1])+std::fmod(p[0],p[1])+fmaxf(1,n)+fmax(p[0],1.0f)+sqrt((double)n)+log(p[0])+ exp(p[0]) +floor(p[0])+ceil(q[0])+trunc(p[0])+rint(p[0])+lrintf(p[0])+std::lround(q[0])+fabs(n)+atan2(p[0],p[1])+std::tgamma(q[0])+lgamma(p[0])+cbrt(p[0])+std::copysign(q[0],q[1])+nextafter(q[0],1.0)+remainder(p[0],p[1])+ldexp(p[0],n)+ scalbn(q[0],n)+ilogb(p[0])+logb(p[0])+fdim(p[0],p[1]); int e; q[2]=frexp(q[0],&e)+modf(q[1],&q[2])+std::frexp(p[0],&e)+e+remquo(q[0],q[1],&e); sincosf(p[0],&p[1],&p[2]); p[7]=min(n,3u)+max(l,3L)+max(1.0f,2.0)+ar[0]+fminf(1,2)+min((unsigned long long)1,3ull); }
int main(){ std::vector<int> v(3); std::cout << v.size() << max(1,2) << std::max(1,2) << sin(1.0) << std::pow(2.0,3) << std::abs(-3L) << abs(-2.0); std::complex<double> z(1,2); std::cout<<std::abs(z)<<std::sqrt(z); float s,c; sincosf(1.f,&s,&c); k<<<1,1>>>(0,0,0,0,0); return !std::isnan(1.0f); }
