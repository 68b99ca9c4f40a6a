/* mandelbrot.c: by hand: a vector of points until the last one escapes. */
#include "hand.h"

void mandelbrot_omp(int *out, int n, int limit) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < n; py++)
        for (int px = 0; px < n; px++) {
            float cx = -2.0f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n, x = 0, y = 0;
            int i = 0;
            while (i < limit && x * x + y * y < 4.0f) {
                float next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
                i++;
            }
            out[py * n + px] = i;
        }
}

void mandelbrot_simd(int *out, int n, int limit) {
#pragma omp parallel for schedule(dynamic, 4)
    for (int py = 0; py < n; py++)
        for (int px = 0; px < n; px += VW) {
            VF cx = -2.0f + 3.0f * to_float(px + lanes()) / (float)n, x = {0}, y = {0};
            VF cy = setf(-1.5f + 3.0f * py / n);
            VI count = {0};
            for (int i = 0; i < limit; i++) {
                VI live = x * x + y * y < 4.0f;
                if (!any(live)) break;
                count -= live;
                VF next = x * x - y * y + cx;
                y = 2.0f * x * y + cy;
                x = next;
            }
            storei(&out[py * n + px], count);
        }
}
