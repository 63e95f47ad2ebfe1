import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inProcess } from '../docs/page.ts'
import { environmentOf } from '../environment.ts'

const example = resolve(import.meta.dirname, '../../../../examples/12-support-agent')
const page = readFileSync(join(example, 'README.md'), 'utf8')

/** Runs the example, and returns what it prints, and its folder. */
function run(...words: readonly string[]): { readonly stdout: string; readonly folder: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(example, 'support-agent.ts'), ...words], {
    encoding: 'utf8',
    env: environmentOf(),
  })
  const folder = /· (\/\S+)/.exec(stdout)?.[1] ?? ''
  onTestFinished(() => {
    if (folder !== '') rmSync(folder, { recursive: true, force: true })
  })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return { stdout, folder }
}

/** The model calls of a sort of request, and its mark. */
function callsOf(stdout: string, shape: string): { readonly before: number; readonly after: number; readonly costsMore: boolean } {
  const row = stdout.split('\n').find((line) => line.slice(2).startsWith(shape)) ?? ''
  const [, before = '0', after = '0'] = /\d+ +(\d+) → (\d+)/.exec(row) ?? []
  return { before: Number(before), after: Number(after), costsMore: row.startsWith('!') }
}

// proves: skill 169, skill 190
describe('example 12, an agent that learns', () => {
  test('prints the figures of its page: equal ends, savings, and where skills cost more', { timeout: 1_200_000 }, () => {
    const { stdout, folder } = run()
    const [shown = ''] = /^wrapped without skills[^]*?(?=^```)/m.exec(page) ?? []
    expect(stdout.slice(stdout.indexOf('wrapped without skills'))).toBe(shown)
    // A mined draft that only reads has passed its generated tests, is active, shown, proposed and approved, and saves calls.
    expect(stdout).toMatch(/✓ parcel\.where@1\.0\.0 {2}6 of 6 unit cases · 50 of 50 mutated cases/)
    expect(callsOf(stdout, 'where is my parcel').after).toBeLessThan(callsOf(stdout, 'where is my parcel').before)
    // A plan that stops before any effect costs more, and the agent finishes by itself.
    expect(callsOf(stdout, 'exchange, none in stock').costsMore).toBe(true)
    const commands = /## What to look at\n\n```sh\n([^]*?)```/.exec(page)?.[1]?.trimEnd().split('\n') ?? []
    const ends = commands.map((line) => ({ line, ...inProcess(folder, line) }))
    expect(ends.filter(({ code }) => code !== 0)).toEqual([])
    expect(ends.map(({ out }) => out).join('\n')).toMatch(/approved[^]*stock\.check[^]*its result goes to the model/)
  })

  test('keeps its end states while tools fail and contexts get lost', { timeout: 1_200_000 }, () => {
    const { stdout } = run('--trouble')
    const [, right = '0'] = /with skills (\d+) of 200/.exec(stdout) ?? []
    expect(Number(right)).toBeGreaterThanOrEqual(170)
    expect(stdout).toMatch(/proposals: .*failed step_error/)
  })
})
