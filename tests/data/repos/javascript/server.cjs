'use strict';
const express = require('express');
const { readFile: read, join } = require('path');

/** The application. */
const app = express();

/**
 * List the users.
 * @param {object} req
 */
async function listUsers(req, res) {
  const inner = () => read(req.path);
  function* numbers() { yield 1; }
  res.json([...numbers(), inner()]);
}

app.get('/users', listUsers);
app.post('/users', (req, res) => {
  class Local { #secret = 1; get value() { return this.#secret; } }
  res.end(new Local().value);
});

var old = function named(a, b) { return a + b; };
let Shape = class { area() { return 0; } };

module.exports = { app, listUsers, old };
