import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../environment.ts'

const script = resolve(import.meta.dirname, '../../../../examples/04-go-back/go-back.ts')

describe('example 04, going back', () => {
  test('one run is opened, replayed, forked and compared', { timeout: 120_000 }, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
      encoding: 'utf8',
      env: environmentOf(),
    })
    const folder = /· (\/\S+)/.exec(stdout)?.[1] ?? ''
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    expect({ status, error: /error|ended with/.exec(stderr) }).toEqual({ status: 0, error: null })
    expect(stdout).toContain('records equal')
    expect(stdout).toContain('year, by the fork (was month, by rules)')
    expect(stdout).toContain('Nothing performed yet. Next: file.write.')
    expect(stdout).toMatch(/equal to @3, then +otter-2m9q +crane-6v4h\n +decide +month +year\n/)
    expect(stdout).toMatch(/- your next month is free\.\n\+ for a year you pay half\./)
    const letter = (run: string): string => readFileSync(join(folder, '.reflex/runs', run, 'letter.txt'), 'utf8')
    expect([letter('otter-2m9q'), letter('crane-6v4h')]).toEqual([
      expect.stringContaining('next month is free'),
      expect.stringContaining('you pay half'),
    ])
  })
})
