import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { countCells } from '../../src/text/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { normal, reflex, start, workFolder, type WorldOptions } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)
const RUN = ['run', 'refund.workflow.json', '--input', 'order_id=A-1042']

/** What a person sees who runs, answers and looks back. */
async function walk(options: WorldOptions): Promise<string> {
  const host = virtualHost()
  const world = { host, ...options }
  const run = start([...RUN, '--id', 'otter-2m9q'], world)
  await run.shows('Later')
  const asked = run.screen()
  await host.advance(9000)
  run.press('enter')
  const { screen } = await run.ended
  await host.advance(60_000)
  const left = await reflex([...RUN, '--id', 'lark-9q2m', '--answers', 'none'], world)
  const looks: string[] = []
  for (const argv of [
    ['runs'],
    ['trace', 'otter'],
    ['show', 'otter@10'],
    ['show', 'lark'],
    ['explain', 'R1042'],
    ['validate', 'refund.workflow.json', 'nothing.workflow.json'],
  ]) {
    looks.push(`$ reflex ${argv.join(' ')}\n${(await reflex(argv, world)).screen}`)
  }
  return `${normal([`$ reflex ${RUN.join(' ')}\n${asked}`, `after enter\n${screen}`, `$ reflex ${RUN.join(' ')} --answers none\n${left.screen}`, ...looks].join('\n\n'))}\n`
}

describe('output for a person', () => {
  test.each([80, 60, 40])('prints at %i columns', async (columns) => {
    const seen = await walk({ folder: workFolder(), columns })
    await expect(seen).toMatchFileSnapshot(golden(`terminal-${columns}`))
  })

  test.each([80, 60, 40])('no line of a story is wider than %i columns', async (columns) => {
    const { screen } = await reflex([...RUN, '--answers', 'auto', '-v'], { folder: workFolder(), columns })
    expect(screen.split('\n').filter((line) => countCells(line) >= columns)).toEqual([])
  })

  test('prints without UTF-8', async () => {
    const seen = await walk({ folder: workFolder(), columns: 80, environment: { LC_ALL: 'C' } })
    expect(seen).toMatch(/^[\n -~]*$/)
    expect(seen).toContain('@10  decide     # full   rules')
    expect(seen).toContain('@4  verify     > identity@')
    await expect(seen).toMatchFileSnapshot(golden('terminal-ascii'))
  })

  test('prints a line with full values for each event without a terminal', async () => {
    const folder = workFolder()
    const run = await reflex([...RUN, '--id', 'otter-2m9q'], { folder })
    const answered = await reflex(['answer', 'otter', 'approve'], { folder })
    const trace = await reflex(['trace', 'otter'], { folder })
    const show = await reflex(['show', 'otter'], { folder })
    const runs = await reflex(['runs'], { folder })
    const all = [run, answered, trace, show, runs].map(({ out, err, code }) => `stderr\n${err}stdout\n${out}exit ${code}\n`).join('\n')
    expect(all).not.toContain('\u001b')
    await expect(normal(all)).toMatchFileSnapshot(golden('pipe'))
  })
})

describe('colour', () => {
  const seen = async (environment: Record<string, string>, more: string[] = [], columns?: number): Promise<boolean> => {
    const { raw } = await reflex([...RUN, '--answers', 'auto', ...more], {
      folder: workFolder(),
      environment,
      ...(columns === undefined ? {} : { columns }),
    })
    return /\u001b\[\d+m/.test(raw)
  }

  test.each([
    ['a terminal has it', {}, [], 80, true],
    ['NO_COLOR takes it away', { NO_COLOR: '1' }, [], 80, false],
    ['--no-color takes it away', {}, ['--no-color'], 80, false],
    ['a pipe has none', {}, [], undefined, false],
    ['FORCE_COLOR gives it to a pipe', { FORCE_COLOR: '1' }, [], undefined, true],
    ['FORCE_COLOR=0 takes it away', { FORCE_COLOR: '0' }, [], 80, false],
  ] as const)('%s', async (_, environment, more, columns, expected) => {
    expect(await seen(environment, [...more], columns)).toBe(expected)
  })

  test('repeats only what the marks show', async () => {
    const plain = await reflex([...RUN, '--id', 'x', '--answers', 'auto', '--no-color'], { folder: workFolder(), columns: 80 })
    const painted = await reflex([...RUN, '--id', 'x', '--answers', 'auto'], { folder: workFolder(), columns: 80 })
    expect(normal(painted.screen)).toBe(normal(plain.screen))
  })
})

test('COLUMNS overrides the width of the terminal', async () => {
  const { screen } = await reflex(['explain', 'R1042'], { folder: workFolder(), columns: 200, environment: { COLUMNS: '40' } })
  expect(Math.max(...screen.split('\n').map((line) => line.length))).toBeLessThan(40)
})
