import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { layOut, type Place, layerSpan } from '../../src/pictures/layout.ts'
import { countCells } from '../../src/text/index.ts'
import { virtualHost } from '../../src/testing/index.ts'
import { elementsOf, type XmlElement } from './xml.ts'
import { type Ended, reflex, workFolder, type WorldOptions } from './worlds.ts'

const golden = (name: string): string => join(import.meta.dirname, 'golden', `${name}.txt`)
const EXAMPLE = resolve(import.meta.dirname, '../../../../examples/01-release-review/release-review.workflow.json')
const RUN = ['run', 'refund.workflow.json', '--id', 'otter-2m9q', '--answers', 'none']

const step = (id: string, more: object = {}): object => ({ id, spec: {}, ...more })
const edge = (id: string, from: string, to: string, event: string, guard?: object): object => ({
  id,
  from,
  to,
  event,
  ...(guard === undefined ? {} : { guard }),
})

/** Branches, joins, a way around all of it, a long condition, a call and a question. */
const TRIAGE = {
  id: 'triage',
  entry: 'read',
  nodes: {
    read: step('read', { spec: { tool: 'json.read', args: { path: 'order.json' }, writes: 'order' }, description: 'What came in' }),
    decide: step('decide'),
    repay: step('repay', { invokes: { workflowId: 'identity', returnMap: [] } }),
    ask: step('ask', { spec: { ask: 'Which?' } }),
    escalate: step('escalate'),
    merge: step('merge'),
    done: step('done'),
  },
  edges: [
    edge('e1', 'read', 'decide', 'NEXT'),
    edge('e2', 'decide', 'repay', 'FULL', { type: 'cel', expr: "order.total <= 50 && order.state in ['lost', 'late', 'broken']" }),
    edge('e3', 'decide', 'ask', 'PART', { type: 'exists', key: 'order' }),
    edge('e4', 'decide', 'escalate', 'ESCALATE', { type: 'not-equals', key: 'order', value: null }),
    edge('e5', 'repay', 'merge', 'NEXT'),
    edge('e6', 'ask', 'merge', 'YES'),
    edge('e7', 'ask', 'escalate', 'NO'),
    edge('e8', 'merge', 'done', 'NEXT'),
    edge('e9', 'read', 'done', 'SPAM'),
  ],
}

function folderWith(program: { readonly id: string; readonly [key: string]: unknown } = TRIAGE): string {
  const folder = workFolder()
  writeFileSync(join(folder, `${program.id}.workflow.json`), JSON.stringify(program, null, 2))
  return folder
}

const seen = (argv: readonly string[], options: WorldOptions): Promise<Ended> => reflex(['graph', ...argv, '--no-color'], options)

describe('a drawing', () => {
  test.each([
    ['the first example', 'example', [EXAMPLE]],
    ['branches and a way around', 'triage', ['triage.workflow.json']],
  ])('%s, at 80 and 40 columns', async (_, name, argv) => {
    const folder = folderWith()
    const shown: string[] = []
    for (const columns of [80, 40]) {
      const { code, out, err } = await seen(argv, { folder, columns })
      expect({ code, err }).toEqual({ code: 0, err: '' })
      // A command is never wrapped, so that it can be copied.
      const lines = out.split('\n').filter((line) => !line.startsWith('  reflex '))
      expect(Math.max(...lines.map((line) => countCells(line)))).toBeLessThan(columns)
      shown.push(`${columns} columns\n${out}`)
    }
    await expect(shown.join('\n')).toMatchFileSnapshot(golden(`graph-${name}`))
  })

  test('is always the same', async () => {
    const folder = folderWith()
    const [first, second] = [
      await seen(['triage.workflow.json'], { folder, columns: 80 }),
      await seen(['triage.workflow.json'], { folder, columns: 80 }),
    ]
    expect(second.out).toBe(first.out)
  })

  test('a graph that does not fit is printed as a list, with the reason and the command that draws it', async () => {
    const { out } = await seen(['triage.workflow.json'], { folder: folderWith(), columns: 30 })
    expect(out).toContain('◆ read  start · json.read\n    NEXT → decide\n    SPAM → done\n')
    expect(out).toContain('? ask  asks a person')
    expect(out).toContain('the drawing needs more than\n  30 columns\n')
    expect(out).toContain('reflex graph triage.workflow.json --svg graph.svg')
  })

  test('a graph without UTF-8 is a list in ASCII', async () => {
    const { out } = await seen(['triage.workflow.json'], { folder: folderWith(), columns: 80, environment: { LC_ALL: 'C' } })
    expect(out).toMatch(/^[\n -~]*$/)
    expect(out).toContain('> repay  calls identity\n    NEXT -> merge\n')
    expect(out).toContain('the drawing needs a terminal with UTF-8')
  })

  test('names are never cut, also in a narrow terminal', async () => {
    const long = 'a-name-that-is-far-wider-than-the-terminal-on-which-it-is-shown'
    const program = { id: 'long', entry: long, nodes: { [long]: step(long), b: step('b') }, edges: [edge('on', long, 'b', 'NEXT')] }
    const { out } = await seen(['long.workflow.json'], { folder: folderWith(program), columns: 40 })
    expect(out).toContain(long)
  })

  test('wide characters take two cells', async () => {
    const program = {
      id: 'wide',
      entry: '注文',
      nodes: { 注文: step('注文'), 出荷: step('出荷') },
      edges: [edge('on', '注文', '出荷', '次へ')],
    }
    const { out } = await seen(['wide.workflow.json'], { folder: folderWith(program), columns: 40 })
    const lines = out.split('\n').filter((line) => /[│╭╰]/.test(line))
    expect(lines.map((line) => countCells(line))).toEqual([9, 9, 9, 9, 9, 9, 9].map((width, i) => (i === 3 ? 10 : width)))
  })

  test('a folder stands for its program, and --kind sets the kind if the name does not show it', async () => {
    const folder = folderWith()
    writeFileSync(join(folder, 'plain.json'), JSON.stringify(TRIAGE))
    expect((await seen(['plain.json', '--kind', 'workflow'], { folder, columns: 80 })).out).toContain(
      'triage  workflow · 7 nodes · 9 edges',
    )
    expect((await seen(['plain.json'], { folder, columns: 80 })).err).toContain('R1020')
  })
})

describe('limits', () => {
  const chain = (count: number): typeof TRIAGE => ({
    ...TRIAGE,
    id: 'chain',
    entry: 'n0',
    nodes: Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, step(`n${i}`)])) as typeof TRIAGE.nodes,
    edges: Array.from({ length: count - 1 }, (_, i) => edge(`e${i}`, `n${i}`, `n${i + 1}`, 'NEXT')),
  })

  test('a graph above the limits is a list that names them, and has no image', async () => {
    const folder = folderWith(chain(401))
    const { out } = await seen(['chain.workflow.json'], { folder, columns: 100 })
    expect(out).toContain('· n400  end\ntoo large to draw: a drawing has at most 400 nodes, and its edges cross at most 1,500 layers')
    expect(await seen(['chain.workflow.json', '--svg', '-'], { folder, columns: 100 })).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('error R2035') as string,
    })
  })

  test('the number of crossed layers counts, with and without cycles', () => {
    const from = (pairs: readonly (readonly [number, number])[]) => pairs.map(([from, to]) => ({ from, to }))
    expect(
      layerSpan(
        3,
        from([
          [0, 1],
          [1, 2],
          [0, 2],
        ]),
      ),
    ).toBe(1 + 1 + 1 + 1 + 2 + 1)
    expect(
      layerSpan(
        2,
        from([
          [0, 1],
          [1, 0],
        ]),
      ),
    ).toBe(2)
    expect(layerSpan(1, from([[0, 0]]))).toBe(1)
    expect(layerSpan(0, [])).toBe(0)
  })
})

describe('a run', () => {
  test('is drawn at its question, at an earlier record, and at its end', async () => {
    const world = { folder: workFolder(), columns: 80, host: virtualHost() }
    await reflex(RUN, world)
    const shown = [await seen(['otter'], world), await seen(['otter@3'], world), await seen(['otter@5'], world)]
    await reflex(['answer', 'otter', 'approve'], world)
    shown.push(await seen(['otter'], world))
    await expect(shown.map(({ screen }) => screen).join('\n\n')).toMatchFileSnapshot(golden('graph-run'))
  })

  test('a failure is marked at its node', async () => {
    const folder = workFolder()
    writeFileSync(join(folder, 'order.json'), '{')
    await reflex(RUN, { folder })
    expect((await seen(['otter'], { folder, columns: 80 })).out).toContain('┃ ✗ read · json.read  ┃')
  })

  test('a node that failed in a branch, or before the run continued, is not marked as a success', async () => {
    const folder = workFolder()
    const dot = `digraph p {
      s [shape=Mdiamond]; fan [shape=component, join_policy="quorum", quorum_fraction=0.5]; join [shape=tripleoctagon]; e [shape=Msquare]
      good [prompt="x", simulate="true"]; bad [prompt="x", simulate="fail"]; late [prompt="x", simulate="fail"]
      s -> fan; fan -> good -> join; fan -> bad -> join; join -> late
      late -> undo [condition="outcome=fail"]; late -> e [condition="outcome=success"]; undo [prompt="x", simulate="true"]; undo -> e
    }`
    writeFileSync(join(folder, 'p.dot'), dot)
    await reflex(['run', 'p.dot', '--id', 'otter'], { folder })
    const { out } = await seen(['otter', '--json'], { folder })
    const { programs } = JSON.parse(out) as { programs: { nodes: { id: string; standing?: string }[] }[] }
    const standing = Object.fromEntries(programs[0]?.nodes.map((node) => [node.id, node.standing]) ?? [])
    expect(standing).toMatchObject({ good: 'passed', bad: 'failed', join: 'passed', late: 'failed', undo: 'passed', e: 'passed' })
  })

  test('is a document with taken, open and closed edges and their reasons', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    const { out } = await reflex(['graph', 'otter', '--json'], { folder })
    const [refund] = (JSON.parse(out) as { programs: { edges: { id: string; standing?: string; why?: string }[] }[] }).programs
    expect(Object.fromEntries(refund?.edges.map(({ id, standing, why }) => [id, [standing, why]]) ?? [])).toEqual({
      e1: ['taken', undefined],
      e2: ['taken', undefined],
      full: ['taken', undefined],
      part: ['open', undefined],
      no: ['closed', 'identity is there'],
      yes: ['open', undefined],
      nay: ['open', undefined],
    })
  })

  test.each([
    [['nobody'], 'R2016', 'there is no run nobody'],
    [['otter@99'], 'R2021', 'records 1 to'],
    [['otter@x'], 'R2031', 'RUN@21'],
    [['nobody.workflow.json'], 'R1021', 'does not exist'],
  ])('%j is refused', async (argv, code, hint) => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    const { code: exit, out, err } = await seen(argv, { folder })
    expect({ exit, out }).toEqual({ exit: 2, out: '' })
    expect(err).toContain(`error ${code}`)
    expect(err).toContain(hint)
  })
})

test('prints a line with full values for each node and edge without a terminal', async () => {
  const { out } = await seen(['triage.workflow.json'], { folder: folderWith() })
  const rows = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
  expect(rows).toHaveLength(7 + 9)
  expect(rows[0]).toEqual(['node', 'triage', 'read', 'choice', 'start', '', ''])
  expect(rows).toContainEqual(['node', 'triage', 'repay', 'call', '', 'workflow:identity', ''])
  expect(rows).toContainEqual([
    'edge',
    'triage',
    'e2',
    'decide',
    'repay',
    'FULL',
    "order.total <= 50 && order.state in ['lost', 'late', 'broken']",
    '',
    '',
    '',
  ])
})

test('a program with errors is not drawn: every error is printed on standard error', async () => {
  const folder = folderWith({ ...TRIAGE, edges: [edge('a', 'read', 'dicide', 'X'), edge('b', 'reed', 'done', 'Y')] })
  const { code, out, err } = await seen(['triage.workflow.json', '--svg', '-'], { folder })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain('did you mean "decide"?')
  expect(err).toContain('did you mean "read"?')
  expect(err).toContain('reflex validate triage.workflow.json')
  const document = JSON.parse((await seen(['triage.workflow.json', '--json'], { folder })).out) as {
    error: { code: string }
    findings: object[]
  }
  expect(document.error.code).toBe('R1042')
  expect(document.findings).toHaveLength(2)
})

describe('an image', () => {
  const image = async (argv: readonly string[], folder: string): Promise<XmlElement[]> => {
    const { code, out, err } = await reflex(['graph', ...argv, '--svg', '-'], { folder })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    return elementsOf(out)
  }
  const named = (elements: readonly XmlElement[], word: string): XmlElement[] =>
    elements.filter(({ name, attributes }) => name === 'g' && attributes['class']?.split(' ').includes(word))

  test('has every node and edge, and describes them as text', async () => {
    const elements = await image(['triage.workflow.json'], folderWith())
    const nodes = named(elements, 'node')
    expect(nodes.map(({ title }) => title)).toEqual(['read: What came in', 'decide', 'repay', 'ask', 'escalate', 'merge', 'done'])
    expect(nodes.map(({ attributes }) => attributes['class']?.trim().split(' ')[1])).toEqual([
      'choice',
      'choice',
      'call',
      'question',
      'step',
      'step',
      'step',
    ])
    // One more: the line into the entry.
    expect(named(elements, 'edge').map(({ title }) => title)).toEqual([
      'a run begins here',
      ...TRIAGE.edges.map((one) => expect.stringContaining(`${(one as { from: string }).from} to `) as string),
    ])
    expect(elements.find(({ name }) => name === 'title')?.text).toBe('triage workflow · 7 nodes · 9 edges')
    expect(elements.find(({ name }) => name === 'desc')?.text).toContain(
      "decide to repay: FULL, if order.total <= 50 && order.state in ['lost'",
    )
  })

  test('contains everything within its borders, and no two boxes overlap', async () => {
    const elements = await image([EXAMPLE], workFolder())
    const [svg] = elements
    const boxes = elements
      .filter(({ name, attributes }) => name === 'rect' && attributes['class'] === 'box')
      .map(({ attributes: { x, y, width, height } }) => ({ x: Number(x), y: Number(y), width: Number(width), height: Number(height) }))
    expect(boxes.length).toBeGreaterThan(5)
    for (const box of boxes) expect(box.x + box.width).toBeLessThanOrEqual(Number(svg?.attributes['width']))
    expect(overlaps(boxes)).toEqual([])
  })

  test('draws jumps with dashes, and a frame around each group of nodes', async () => {
    const dot = `digraph g { start [shape=Mdiamond]; done [shape=Msquare]
      subgraph cluster_work { label="Work"; build [prompt="b"]
        subgraph cluster_proof { label="Proof"; test [prompt="t", goal_gate=true, retry_target=build] } }
      start -> build -> test -> done }`
    const folder = workFolder()
    writeFileSync(join(folder, 'g.dot'), dot)
    const elements = await image(['g.dot'], folder)
    const jumps = named(elements, 'edge').filter(({ attributes }) => attributes['class']?.includes('jump'))
    expect(jumps.map(({ title }) => title)).toEqual(['test to build, after a failure', 'done to build, test not met'])
    const places = (wanted: string): { x: number; y: number; right: number; bottom: number }[] =>
      elements
        .filter(({ name, attributes }) => name === 'rect' && attributes['class'] === wanted)
        .map(({ attributes: { x, y, width, height } }) => ({
          x: Number(x),
          y: Number(y),
          right: Number(x) + Number(width),
          bottom: Number(y) + Number(height),
        }))
    const [work, proof] = places('frame')
    const inside = (box: ReturnType<typeof places>[number], frame: typeof work): boolean =>
      frame !== undefined && box.x > frame.x && box.y > frame.y && box.right < frame.right && box.bottom < frame.bottom
    const boxes = places('box')
    expect(boxes.map((box) => [inside(box, work), inside(box, proof)])).toEqual([
      [false, false],
      [false, false],
      [true, false],
      [true, true],
    ])
    expect(proof !== undefined && inside(proof, work)).toBe(true)
  })

  test('contains no scripts and no requests, whatever the program contains', async () => {
    const evil = `<script>alert(1)</script>&"'\u001b[2J\u202e]]>\ufffe`
    const program = {
      id: 'evil',
      entry: evil,
      nodes: { [evil]: step(evil, { description: evil }), b: step('b') },
      edges: [edge(evil, evil, 'b', evil, { type: 'equals', key: evil, value: evil })],
    }
    const folder = folderWith(program)
    const { out } = await reflex(['graph', 'evil.workflow.json', '--svg', '-'], { folder })
    expect([...new Set(elementsOf(out).map(({ name }) => name))].sort()).toEqual([
      'circle',
      'desc',
      'g',
      'path',
      'rect',
      'style',
      'svg',
      'text',
      'title',
      'tspan',
    ])
    expect(out).not.toMatch(/[^\n\t -~\u00a0-\u2069\u206a-\ufffd]|\u202e|\bon\w+=|href|url\(|@import|<script/)
    const listed = await seen(['evil.workflow.json'], { folder, columns: 300 })
    expect(listed.raw).not.toMatch(/[\u001b\u202e]/)
  })

  test('fits light and dark pages', async () => {
    const { out } = await reflex(['graph', EXAMPLE, '--svg', '-'], { folder: workFolder() })
    expect(out).toContain('@media (prefers-color-scheme:dark)')
    expect(out).not.toContain('var(')
  })

  test('highlights the path of a run', async () => {
    const folder = workFolder()
    await reflex(RUN, { folder })
    const elements = await image(['otter'], folder)
    const classOf = (title: string): string | undefined =>
      elements.find((element) => element.name === 'g' && element.title?.startsWith(title))?.attributes['class']
    expect(classOf('read to verify')).toBe('edge taken green')
    expect(classOf('decide to decline')).toBe('edge closed')
    expect(classOf('approve to pay')).toBe('edge open')
    expect(classOf('approve')).toBe('edge open')
    expect(named(elements, 'here').map(({ title }) => title)).toEqual(['approve'])
    expect(named(elements, 'faint').map(({ title }) => title)).toEqual(['pay', 'decline'])
  })

  test('is written to a file, and an unwritable file is a fault', async () => {
    const folder = folderWith()
    const { code, out, err } = await reflex(['graph', 'triage.workflow.json', '--svg', 'triage.svg'], { folder })
    expect({ code, out }).toEqual({ code: 0, out: '' })
    expect(err).toMatch(/^triage\.svg {2}written, \d+\.\d kB\n$/)
    expect(elementsOf(readFileSync(join(folder, 'triage.svg'), 'utf8'))[0]?.name).toBe('svg')
    const failed = await reflex(['graph', 'triage.workflow.json', '--svg', 'triage.svg/x.svg'], { folder })
    expect(failed).toMatchObject({ code: 3, err: expect.stringContaining('R5040') as string })
    expect(await reflex(['graph', 'triage.workflow.json', '--svg', '-', '--json'], { folder })).toMatchObject({
      code: 2,
      out: expect.stringContaining('R2031') as string,
    })
  })
})

function overlaps(boxes: readonly Place[]): (readonly [Place, Place])[] {
  const pairs = boxes.flatMap((a, i) => boxes.slice(i + 1).map((b) => [a, b] as const))
  return pairs.filter(([a, b]) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height)
}

test('a layout keeps boxes apart and leads each line from box to box, along the axes', async () => {
  const graphs = fc.integer({ min: 1, max: 9 }).chain((count) =>
    fc.record({
      nodes: fc.array(fc.record({ width: fc.integer({ min: 4, max: 20 }), height: fc.constant(3) }), {
        minLength: count,
        maxLength: count,
      }),
      edges: fc.array(
        fc.record({
          from: fc.nat(count - 1),
          to: fc.nat(count - 1),
          label: fc.option(fc.record({ width: fc.integer({ min: 1, max: 12 }), height: fc.integer({ min: 1, max: 3 }) }), {
            nil: undefined,
          }),
        }),
        { maxLength: 14 },
      ),
      spacing: fc.constant({ node: 3, layer: 1, line: 2, label: 1 }),
    }),
  )
  await fc.assert(
    fc.asyncProperty(graphs, async (plan) => {
      const { nodes, edges } = await layOut(plan)
      expect(nodes.map(({ width, height }) => ({ width, height }))).toEqual(plan.nodes)
      expect(overlaps(nodes)).toEqual([])
      edges.forEach(({ points, label }, i) => {
        const { from = 0, to = 0, label: wanted } = plan.edges[i] ?? {}
        expect([label?.width, label?.height]).toEqual([wanted?.width, wanted?.height])
        expect(touches(nodes[from], points[0])).toBe(true)
        expect(touches(nodes[to], points.at(-1))).toBe(true)
        points
          .slice(1)
          .forEach(({ x, y }, at) =>
            expect(Math.min(Math.abs(x - (points[at]?.x ?? 0)), Math.abs(y - (points[at]?.y ?? 0)))).toBeLessThan(0.01),
          )
      })
    }),
    { numRuns: 25 },
  )
})

function touches(box: Place | undefined, point: { readonly x: number; readonly y: number } | undefined): boolean {
  if (box === undefined || point === undefined) return false
  const inside = (at: number, from: number, length: number): boolean => at >= from - 0.01 && at <= from + length + 0.01
  return inside(point.x, box.x, box.width) && inside(point.y, box.y, box.height)
}
