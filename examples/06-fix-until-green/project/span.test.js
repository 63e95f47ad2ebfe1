import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seconds, span } from './span.js'

test('adds the parts of a span', () => assert.equal(seconds('1h 30m'), 5400))
test('reads one part', () => assert.equal(seconds('45s'), 45))
test('refuses what is no span', () => assert.throws(() => seconds('soon'), /no span: soon/))
test('writes the largest unit first', () => assert.equal(span(5400), '1h 30m'))
test('writes nothing as 0s', () => assert.equal(span(0), '0s'))
