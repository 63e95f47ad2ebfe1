import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DOCUMENTS } from '../../src/cli/output/schema.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { countCells } from '../../src/text/index.ts'
import { type Ended, normal, reflex, workFolder, type WorldOptions } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)

/** Two branches that leave much behind, and a person who reads some of it. */
const REVIEW = `digraph review {
  begin [shape=Mdiamond]
  plan [prompt="Plan it", output_key="planned"]
  fan [shape=component, join_policy="wait_all", merge_context=true]
  security [prompt="Look for holes", output_key="holes"]
  style [prompt="Look at the style"]
  join [shape=tripleoctagon]
  merge [shape=hexagon, label="Merge $planned?", reviews_keys="holes, planned"]
  fix [prompt="Fix $holes", output_key="fixed"]
  end [shape=Msquare]
  begin -> plan -> fan
  fan -> security -> join
  fan -> style -> join
  join -> merge
  merge -> end [label="[M] Merge"]
  merge -> fix [label="[F] Fix first"]
  fix -> end
}
`

/** A work folder with a run of the review that has ended. */
async function reviewed(): Promise<WorldOptions> {
  const folder = workFolder()
  const world = { folder, host: virtualHost(), columns: 80, keyboard: false }
  writeFileSync(join(folder, 'review.dot'), REVIEW)
  await reflex(['run', 'review.dot', '--id', 'owl-1a2b', '--answers', 'auto', '--simulate'], world)
  return world
}

/** A work folder with a run of the refund that has ended. */
async function ran(): Promise<WorldOptions> {
  const folder = workFolder()
  const world = { folder, host: virtualHost() }
  await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'auto'], world)
  return world
}

const shown = ({ code, screen }: Ended): string => `${screen}\nexit ${code}`

describe('verbs that look back', () => {
  test.each([80, 40])('show, fork, diff and why print at %i columns', async (columns) => {
    const world = await ran()
    const looks: string[] = []
    const look = async (...argv: string[]): Promise<void> => {
      looks.push(`$ reflex ${argv.join(' ')}\n${shown(await reflex(argv, { ...world, columns, keyboard: false }))}`)
    }
    await look('show', 'otter@9')
    await look('fork', 'otter@9', '--decide', 'part', '--id', 'crane-6v4h')
    await look('runs')
    await reflex(['resume', 'crane', '--answers', 'auto'], world)
    await look('trace', 'crane')
    await look('diff', 'otter', 'crane', '--text')
    await look('diff', 'otter@4', 'otter@9')
    await look('diff', 'otter', 'otter')
    await look('why', 'otter', 'decide')
    await look('why', 'otter', 'receipt')
    await look('fork', 'otter@8', '--set', 'note=careful', '--id', 'heron-1a2b')
    await look('why', 'heron', 'note')
    await look('trace', 'heron')
    const seen = looks.join('\n\n')
    await expect(`${normal(seen)}\n`).toMatchFileSnapshot(golden(`back-${columns}`))
    expect(seen.split('\n').filter((line) => !line.startsWith('$') && countCells(line) >= columns)).toEqual([])
  })

  test('print documents that match the published schemas', async () => {
    const world = await ran()
    const read = async (...argv: string[]): Promise<unknown> => JSON.parse((await reflex([...argv, '--json'], world)).out)
    expect(DOCUMENTS.fork.parse(await read('fork', 'otter@9', '--decide', 'part', '--id', 'crane-6v4h'))).toMatchObject({
      run: 'crane-6v4h',
      from: { run: 'otter-2m9q', record: 9 },
      decided: { place: 'decide', chose: 'part', was: { chose: 'full' } },
    })
    expect(DOCUMENTS.diff.parse(await read('diff', 'otter', 'crane'))).toMatchObject({
      equal: 9,
      differences: expect.any(Array) as unknown,
    })
    expect(DOCUMENTS.why.parse(await read('why', 'otter', 'decide'))).toMatchObject({
      run: 'otter-2m9q',
      cause: { what: 'decision', name: 'decide', value: 'full' },
    })
    expect(DOCUMENTS.replay.parse(await read('diff', 'otter', '--replay'))).toMatchObject({ result: 'equal' })
  })

  test('a worker ignores a fork until it is resumed or answered', async () => {
    const world = await ran()
    await reflex(['fork', 'otter@11', '--id', 'crane-6v4h'], world)
    const before = (await reflex(['show', 'crane', '--json'], world)).out
    await world.host?.advance(365 * 86_400_000)
    await reflex(['worker', '--once'], world)
    expect((await reflex(['show', 'crane', '--json'], world)).out).toBe(before)
  })

  test.each<[string[], number, string]>([
    [['fork', 'nobody@3'], 2, 'R2016'],
    [['fork', 'otter@x'], 2, 'R2031'],
    [['fork', 'otter@99'], 2, 'R2021'],
    [['fork', 'otter'], 1, 'R2061'],
    [['fork', 'otter@9', '--decide', 'prt'], 2, 'did you mean "part"?'],
    [['fork', 'otter@9', '--set', 'novalue'], 2, 'R2032'],
    [['fork', 'otter@4', '--id', 'otter-2m9q'], 2, 'R5007'],
    [['diff', 'otter'], 2, 'R2031'],
    [['diff', 'otter', 'otter@99'], 2, 'R2021'],
    [['why', 'otter', 'decid'], 2, 'did you mean "decide"?'],
    [['why', 'otter', '@99'], 2, 'R2021'],
  ])('%j exits with %i', async (argv, exit, text) => {
    const { code, err, out } = await reflex(argv, await ran())
    expect({ code, out }).toEqual({ code: exit, out: '' })
    expect(err).toContain(text)
  })

  test('diff shows the place where two similar values differ', async () => {
    const folder = workFolder()
    const world = { folder, host: virtualHost(), columns: 80, keyboard: false }
    const node = (id: string): object => ({ id, spec: {} })
    const program = { id: 'keep', entry: 'end', nodes: { end: node('end') }, edges: [] }
    writeFileSync(join(folder, 'keep.workflow.json'), JSON.stringify(program))
    const letter = (word: string): string =>
      `text=Dear Ana, ${'we write to you once more. '.repeat(4)}It is ${word}, as we said, and so it stays.`
    const run = (id: string, ...inputs: string[]): Promise<Ended> =>
      reflex(['run', 'keep.workflow.json', '--id', id, ...inputs.flatMap((input) => ['--input', input])], world)
    await run('otter-2m9q', letter('yes'), 'n:=1', 'none=', 'list:=[1,2]')
    await run('crane-6v4h', letter('no'), 'n=1', 'list:=[1,3]')
    const traced = DOCUMENTS.trace.parse(JSON.parse((await reflex(['trace', 'crane', '--json'], world)).out))
    expect(traced).toMatchObject({ by: 'ana', input: { n: '1', list: [1, 3] } })
    const { screen, code } = await reflex(['diff', 'otter', 'crane'], world)
    expect(code).toBe(1)
    expect(screen).toContain('no record in common')
    expect(screen).toMatch(/^ {2}text +….*It is yes.* B +….*It is no.* B$/m)
    expect(screen).toMatch(/^ {2}n +1 +"1"$/m)
    expect(screen).toMatch(/^ {2}none +"" +–$/m)
    expect(screen).toMatch(/^ {2}lines +(npx )?reflex diff otter-2m9q crane-6v4h --text$/m)
    const whole = await reflex(['diff', 'otter', 'crane', '--text'], world)
    expect(whole.screen).not.toContain('lines  ')
  })

  test('print a pipeline with aligned values, each cause once, and its result', async () => {
    const world = await reviewed()
    const shown = (await reflex(['show', 'owl'], world)).screen.split('\n').filter((line) => /@\d+$/.test(line))
    expect(shown.length).toBeGreaterThan(10)
    expect(new Set(shown.map((line) => line.search(/@\d+$/) + (/\d+$/.exec(line)?.[0].length ?? 0))).size).toBe(1)
    const why = (await reflex(['why', 'owl', 'merge'], world)).screen
    expect(why).toMatch(/^ +shown above +\S+ @\d+/m)
    expect(why).not.toContain(', shown above')
    expect((await reflex(['trace', 'owl'], world)).screen).toMatch(/^ *@\d+ {2}completed {2}planned, last_response, holes$/m)
  })

  test('the inbox prints the command that answers its first question', async () => {
    const world = { folder: workFolder(), host: virtualHost(), columns: 80, keyboard: false }
    await reflex(['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none'], world)
    const { screen } = await reflex(['inbox'], world)
    const [, command = ''] = /answer +(?:npx )?reflex (answer .*)$/m.exec(screen) ?? []
    expect(command).toBe('answer otter-2m9q/q1 YES')
    expect((await reflex(command.split(' '), world)).code).toBe(0)
  })

  test('output in a pipe contains no non-breaking spaces', async () => {
    const folder = workFolder()
    const end = { id: 'end', spec: { writes: { long: 'word '.repeat(40) } } }
    writeFileSync(join(folder, 'keep.workflow.json'), JSON.stringify({ id: 'keep', entry: 'end', nodes: { end }, edges: [] }))
    const { err } = await reflex(['run', 'keep.workflow.json'], { folder, host: virtualHost() })
    expect(err).toMatch(/long "word .*" 202 B/)
    expect(err).not.toContain('\u00a0')
  })

  test('show prints open edges and parallel branches, names who set a value, and can be copied', async () => {
    const folder = workFolder()
    const world = { folder, host: virtualHost(), columns: 120, keyboard: false }
    writeFileSync(join(folder, 'review.dot'), REVIEW)
    await reflex(['run', 'review.dot', '--id', 'owl-1a2b', '--answers', 'none', '--simulate'], world)
    const { run, record } = JSON.parse((await reflex(['show', 'owl', '--json'], world)).out) as { run: { id: string }; record: number }
    await reflex(['answer', 'owl', 'Merge'], world)
    const past = (await reflex(['show', `owl@${record}`], world)).screen
    expect(past).toMatch(/^asked +Merge .*\? +Merge · Fix first\s+was open at merge$/m)
    const [, command = ''] = /decide +(?:npx )?reflex (fork .*)$/m.exec(past) ?? []
    expect(command).toBe(`fork ${run.id}@${record} --decide Merge`)
    expect((await reflex([...command.split(' '), '--set', 'note=1', '--id', 'crane-6v4h'], world)).code).toBe(0)
    expect((await reflex(['show', 'crane'], world)).screen).toMatch(/^ +note +"1" +the fork @\d+$/m)
    const before = await Promise.all(Array.from({ length: record }, (_, i) => reflex(['show', `owl@${i + 1}`], world)))
    expect(before.map(({ screen }) => screen).join('\n')).toMatch(
      /^stack +review › fan\n +review › fan › security\n +review › fan › style$/m,
    )
    const ended = (await reflex(['resume', 'owl', '--no-color'], { ...world, columns: 30 })).err
    expect(ended).toMatch(/^ +fix +(npx )?reflex fork owl-1a2b@\d+$/m)
  })
})
