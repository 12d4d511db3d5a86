//! The rows of what turns addresses of one kind into another or asks what kind they are.

pub(super) const CVTA: &str = "
family  cvta
section Data Movement and Conversion Instructions: cvta
about   Turns an address of a state space into the generic address of the same place.

slot .space  global local shared
slot .space  const                              PTX 3.1 sm_20
slot .space  param                              PTX 7.7 sm_70
slot .space  param::entry                       PTX 8.3 sm_70
slot .space  shared::cta                        PTX 7.8 sm_20
slot .space  shared::cluster                    PTX 7.8 sm_90

form cvta.space.type                            d, address
  u32 u64                                       PTX 2.0 sm_20
";

pub(super) const CVTA_TO: &str = "
family  cvta.to
section Data Movement and Conversion Instructions: cvta
about   Turns a generic address into the address of the same place in a state space, in which it must lie.

slot .space  global local shared
slot .space  const                              PTX 3.1 sm_20
slot .space  param                              PTX 7.7 sm_70
slot .space  param::entry                       PTX 8.3 sm_70
slot .space  shared::cta                        PTX 7.8 sm_20
slot .space  shared::cluster                    PTX 7.8 sm_90

form cvta.to.space.type                         d, address
  u32 u64                                       PTX 2.0 sm_20
";

pub(super) const ISSPACEP: &str = "
family  isspacep
section Data Movement and Conversion Instructions: isspacep
about   Says whether a generic address lies in a state space.

slot .space  global local shared
slot .space  const                              PTX 3.1 sm_20
slot .space  param                              PTX 7.7 sm_70
slot .space  param::entry                       PTX 8.3 sm_70
slot .space  shared::cta                        PTX 7.8 sm_20
slot .space  shared::cluster                    PTX 7.8 sm_90

form isspacep.space                             predicate, address
  PTX 2.0 sm_20
";

pub(super) const MAPA: &str = "
family  mapa
section Data Movement and Conversion Instructions: mapa
about   Makes of an address in this CTA's shared memory the one of the same variable in the CTA of rank `rank` of the cluster.

none .space  generic

form mapa{.shared::cluster}.type                d, address, rank
  u32 s32 u64 s64                               PTX 7.8 sm_90
";

pub(super) const GETCTARANK: &str = "
family  getctarank
section Data Movement and Conversion Instructions: getctarank
about   Says the rank in the cluster of the CTA whose shared memory an address lies in.

none .space  generic

form getctarank{.shared::cluster}.type          d, address
  u32 s32 u64 s64                               PTX 7.8 sm_90
";
