import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../environment.ts'

const script = resolve(import.meta.dirname, '../../../../examples/03-kill-it/kill-it.ts')

describe('example 03, killed at each step', () => {
  test('what happens outside happens exactly once', { timeout: 180_000 }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
      encoding: 'utf8',
      env: environmentOf(),
    })
    const folder = /· (\/\S+)/.exec(stdout)?.[1]
    onTestFinished(() => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).not.toContain('“”')
    expect(stdout).toMatch(/\? life \d+ +asks whether post\.letter happened: (a|no) letter outside, so: (happened|repeat)\n/)
    expect(stdout).toMatch(/ {2}€120 to ana\n {2}€80 to ben\n {2}letter to the tax office\nEach of the three exactly once\.\n$/)
  })
})
