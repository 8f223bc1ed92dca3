#include "storage/xml_reader.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "storage/xml_writer.h"

namespace fireweed::storage {
namespace {

TEST(XmlReader, ReadsWhatClientsSend) {
  XmlElement root = ParseXml(
      "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- c --><p:Root xmlns:p='urn:x' a=\"1 &amp; 2\">"
      "<Key> a&lt;b&#x263a;&#65; </Key><Empty/><Key>second</Key><![CDATA[<raw>&amp;]]></p:Root>\n");
  EXPECT_EQ(root.name, "Root");
  EXPECT_EQ(root.Attribute("a"), "1 & 2");
  EXPECT_EQ(root.Text("Key"),
            "a<b\u263a"
            "A");
  EXPECT_NE(root.Child("Empty"), nullptr);
  EXPECT_EQ(root.Child("None"), nullptr);
  EXPECT_EQ(root.text, "<raw>&amp;");
  EXPECT_EQ(root.children.size(), 3u);
}

TEST(XmlReader, WhatWasWrittenComesBack) {
  std::string nasty = "a&b<c>\"d'\r\n\u00e9]]>";
  XmlWriter out;
  std::string text = out.Open("R").Leaf("K", nasty).Close("R").Take();
  EXPECT_EQ(ParseXml(text).Text("K"), nasty);
}

TEST(XmlReader, RefusesTheRest) {
  std::string deep, wide = "<r>", large(5 << 20, ' ');
  for (int i = 0; i < 100; ++i) deep += "<a>";
  for (int i = 0; i < 70000; ++i) wide += "<a/>";
  wide += "</r>";
  large += "<a/>";
  for (const std::string& bad : {std::string(),
                                 std::string("text"),
                                 std::string("<a>"),
                                 std::string("<a></b>"),
                                 std::string("<a/><b/>"),
                                 std::string("<a b></a>"),
                                 std::string("<a b='1></a>"),
                                 std::string("<a>&nope;</a>"),
                                 std::string("<a>&#0;</a>"),
                                 std::string("<a>&#xd800;</a>"),
                                 std::string("<a>&#99999999;</a>"),
                                 std::string("<a>&amp</a>"),
                                 std::string("<a"),
                                 std::string("<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>"),
                                 std::string("<a><!-- </a>"),
                                 std::string("<a><![CDATA[ </a>"),
                                 std::string("< a/>"),
                                 deep,
                                 wide,
                                 large}) {
    EXPECT_THROW(ParseXml(bad), Failure) << bad.substr(0, 60);
  }
}

}  // namespace
}  // namespace fireweed::storage
