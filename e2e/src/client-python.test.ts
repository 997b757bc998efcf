import { preparePython } from "./clients/python-program.js";
import { clientSuite } from "./clients/suite.js";

clientSuite({ name: "the Python client", prepare: () => preparePython("main.py") });
