import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../environment.ts'

const HERE = 'examples/10-alerts'
const root = resolve(import.meta.dirname, '../../../..')
const RUN = ['run', `${HERE}/alerts.dataflow.json`, '--events', `${HERE}/metrics.jsonl`]

let folder = ''
/** The sandbox of a channel does not open a folder that holds the home folder. */
let home = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-alerts-')))
  home = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-alerts-home-')))
  onTestFinished(() => {
    for (const made of [folder, home]) rmSync(made, { recursive: true, force: true })
  })
  mkdirSync(join(folder, 'examples'))
  cpSync(join(root, HERE), join(folder, HERE), { recursive: true, filter: (path) => !path.endsWith('/out') })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
})

/** Runs the command in a process of its own, with nobody at the terminal. */
function reflex(...words: readonly string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'packages/reflex/bin/reflex.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env: environmentOf(home),
  })
  return { code: status, out: stdout, err: stderr }
}

const pages = (): object[] =>
  readFileSync(join(folder, HERE, 'out/pages.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object)

describe('example 10, alerts over a day of samples', () => {
  test('has nothing to find', () => {
    const { out, code } = reflex('validate', HERE)
    expect(out).not.toMatch(/^(error|warning)/m)
    expect(code).toBe(0)
  })

  test('its samples are those that its script makes', () => {
    const { stdout } = spawnSync(process.execPath, [join(folder, HERE, 'make-metrics.mjs')], { encoding: 'utf8' })
    expect(stdout).toBe(readFileSync(join(folder, HERE, 'metrics.jsonl'), 'utf8'))
    expect(stdout.trim().split('\n')).toHaveLength(1440)
  })

  test('notifies once in the day, names the lines that it refused, and is replayed', () => {
    const { code, out, err } = reflex(...RUN)
    expect([code, JSON.parse(out)]).toEqual([0, { events: 1438, refused: 2, failed: 0, sent: { notify: 1 } }])
    expect(err).toMatch(/alerts \w+-\w+ {2}dataflow 0\.3\.0 · 38 nodes · adapter node_metrics@1\.0\.0/)
    expect(err).toContain('metrics.jsonl:311: refused R1331: no field "cpu_pct"; did you mean "cpu"?')
    expect(err).toContain('metrics.jsonl:902: refused R1334: event id m-880 was taken before')
    expect(err).toContain('E553: 09:14:00  hot → notify  cpu 0.93, for 5 m  acknowledged')
    expect(err).toContain('1,438 of 1,440 events, 1 notify')
    expect(pages()).toEqual([{ intent_id: expect.stringMatching(/^eid1:sha256:/) as string, text: 'CPU 0.93 for 5 m' }])
    expect(reflex('replay', 'last').code).toBe(0)
  })

  test('tells the pager nothing in a simulated run', () => {
    const { code, out } = reflex(...RUN, '--simulate')
    expect([code, JSON.parse(out)]).toMatchObject([0, { sent: { notify: 1 } }])
    expect(existsSync(join(folder, HERE, 'out'))).toBe(false)
  })
})
