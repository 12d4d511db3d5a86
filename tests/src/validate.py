"""Validates JSON for tests/src/schema.rs: each line is {"schema": S}, or {"number": N, "value": V} for the Nth schema, from 0 on;
with "definition": D, too, for one of its definitions. The answer is a line with a list of errors."""

import json
import sys

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for

validators = []
for line in sys.stdin:
    question = json.loads(line)
    if "schema" in question:
        schema = question["schema"]
        kind = validator_for(schema, default=Draft202012Validator)
        errors = []
        try:
            kind.check_schema(schema)
        except SchemaError as error:
            errors = [str(error)]
        validators.append(kind(schema))
    else:
        validator = validators[question["number"]]
        if "definition" in question:
            reference = f"#/definitions/{question['definition']}"
            validator = type(validator)({"$ref": reference, "definitions": validator.schema["definitions"]})
        found = validator.iter_errors(question["value"])
        errors = [f"{error.message[:500]} at {error.json_path}" for error in found]
    print(json.dumps(errors), flush=True)
