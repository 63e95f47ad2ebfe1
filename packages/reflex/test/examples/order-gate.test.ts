import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { environmentOf } from '../environment.ts'

const HERE = 'examples/11-order-gate'
const root = resolve(import.meta.dirname, '../../../..')
const RUN = ['run', `${HERE}/order-gate.dataflow.json`, '--events', `${HERE}/signals.jsonl`, '--answers', 'none']

let folder = ''
/** The sandbox of a channel does not open a folder that holds the home folder. */
let home = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-gate-')))
  home = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-gate-home-')))
  onTestFinished(() => {
    for (const made of [folder, home]) rmSync(made, { recursive: true, force: true })
  })
  mkdirSync(join(folder, 'examples'))
  cpSync(join(root, HERE), join(folder, HERE), { recursive: true, filter: (path) => !path.endsWith('/out') })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  symlinkSync(join(root, 'packages'), join(folder, 'packages'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n')
})

function node(...words: readonly string[]): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    encoding: 'utf8',
    input: '',
    env: environmentOf(home),
  })
  return { code: status, out: stdout, err: stderr }
}

/** Runs the command in a process of its own, with nobody at the terminal. */
const reflex = (...words: readonly string[]): ReturnType<typeof node> => node(join(root, 'packages/reflex/bin/reflex.js'), ...words)

/** The sizes in the book of the broker. */
const booked = (): number[] =>
  readFileSync(join(folder, HERE, 'out/orders.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { size: number; price: number }).size)

describe('example 11, an order gate', () => {
  test('has nothing to find', () => {
    const { out, code } = reflex('validate', HERE)
    expect(out).not.toMatch(/^(error|warning)/m)
    expect(code).toBe(0)
  })

  test('places what keeps the limits, and what a person approves', () => {
    const { code, err } = reflex(...RUN, '--id', 'gate')
    expect(code).toBe(75)
    expect(err).toContain('E1: 09:01:00  doubtful → review  price 40, size 300  starts workflow:approve-order')
    expect(err).toContain('signals.jsonl:3: refused R1331: field "size" must be more than 0, found -5')
    expect(err).toContain('signals.jsonl:4: refused R1334: event id s1 was taken before')
    expect(booked()).toEqual([100, 100])
    const answered = reflex('answer', 'gate', 'APPROVE')
    expect([answered.code, JSON.parse(answered.out)]).toEqual([0, { events: 5, refused: 2, failed: 0, sent: { order: 3, review: 1 } }])
    expect(booked()).toEqual([100, 100, 300])
    expect(reflex('trace', 'gate').out).toMatch(/E4\tdone\t.*ready → place {2}price 40, size 300 {2}acknowledged/)
    expect(reflex('replay', 'gate').code).toBe(0)
  })

  test('leaves what a person refuses', () => {
    reflex(...RUN, '--id', 'gate')
    const { code, out } = reflex('answer', 'gate', 'REFUSE')
    expect([code, JSON.parse(out)]).toMatchObject([0, { events: 5, sent: { order: 2, review: 1 } }])
    expect(booked()).toEqual([100, 100])
  })

  test('places an order once if it is killed before the acknowledgement', { timeout: 180_000 }, () => {
    const { code, out } = node(join(folder, HERE, 'crash.ts'))
    expect(code).toBe(0)
    expect(out).toBe(
      'ended by SIGKILL with 1 order in the book and no acknowledgement\n  100 at 40\n  100 at 41\nEach order exactly once; the third waits for a person.\n',
    )
    expect(reflex('answer', 'crashed', 'APPROVE').code).toBe(0)
    expect(booked()).toEqual([100, 100, 300])
  })
})
