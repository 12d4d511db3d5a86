# Entry for test/test_heuristics.rb.
  def test_ptx_by_heuristics
    assert_heuristics({ "PTX" => all_fixtures("PTX", "*.ptx") })
  end

