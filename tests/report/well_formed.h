#pragma once
// Does an XML parser take it?

#include <expat.h>
#include <gtest/gtest.h>

#include <string>

namespace cmr::test {

inline testing::AssertionResult is_well_formed(const std::string& xml) {
    const XML_Parser parser = XML_ParserCreate("UTF-8");
    const bool ok = XML_Parse(parser, xml.data(), static_cast<int>(xml.size()), /*isFinal=*/1) == XML_STATUS_OK;
    auto result = ok ? testing::AssertionSuccess() : testing::AssertionFailure();
    if (!ok)
        result << XML_ErrorString(XML_GetErrorCode(parser)) << " at line " << XML_GetCurrentLineNumber(parser)
               << " of\n"
               << xml.substr(0, 2000);
    XML_ParserFree(parser);
    return result;
}

}  // namespace cmr::test
