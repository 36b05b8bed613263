// Writes the sample page: report_sample FILE

#include <cstdio>
#include <fstream>

#include "report/sample_page.h"

int main(int count, char** arguments) {
    if (count != 2) {
        std::fprintf(stderr, "usage: report_sample FILE\n");
        return 2;
    }
    const auto plant = cmr::test::make_sample_plant();
    std::ofstream file(arguments[1], std::ios::binary);
    file << cmr::report::to_html(cmr::test::make_sample_page(plant));
    return file.good() ? 0 : 1;
}
