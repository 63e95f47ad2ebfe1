import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../src/kinds/skill/model/manifest.ts'
import type { RunRead } from '../../src/learn/shapes/call-sequence.ts'
import { learn } from '../../src/learn/compile/learn.ts'
import { logged, stored } from './logged.ts'

const NEIGHBOURS = ['u', 'v', 'w', 'x', 'y'] as const
const at = (list: readonly string[], i: number): string => list[i % list.length] ?? ''

/** Runs of a job: two calls between others, asked for with the texts in turn. `#` is a number. */
function runsOf(job: string, texts: readonly string[], count = 30): readonly RunRead[] {
  return Array.from({ length: count }, (_, i) => {
    const calls = [NEIGHBOURS[i % 5] ?? '', `${job}.find`, `${job}.do`, NEIGHBOURS[(i + 2) % 5] ?? ''].map((tool) => ({ tool }))
    return logged(`${job}${i}`, calls, { text: at(texts, i).replace('#', `X-${1000 + i}`) })
  })
}

interface Cues {
  readonly labels: readonly string[]
  readonly keywords: readonly string[]
}

/** Returns the labels and keywords of each mined skill by its job. */
async function cuesOf(runs: readonly RunRead[], known: readonly Manifest[] = []): Promise<Readonly<Record<string, Cues>>> {
  const { drafts } = await learn(() => stored(runs), { owner: 'ana', known })
  return Object.fromEntries(
    drafts.map(({ manifest: { plan, activation } }) => [
      plan.steps[0]?.tool.split('.')[0] ?? '',
      { labels: activation.goal_labels, keywords: activation.keywords_any },
    ]),
  )
}

/** Every deed with every object, in one of two sentences. */
const wishes = (deeds: readonly string[], objects: readonly string[]): readonly string[] =>
  deeds.flatMap((deed) => objects.map((object, i) => (i % 2 === 0 ? `please ${deed} the ${object} #` : `#: ${deed} ${object} today`)))

describe('the labels and keywords of a mined skill', () => {
  it('need a deed and an object, if other wishes have either', async () => {
    const cues = await cuesOf([
      ...runsOf('rooms', wishes(['cancel', 'drop'], ['room', 'suite'])),
      ...runsOf('booked', wishes(['book', 'reserve'], ['room', 'suite'])),
      ...runsOf('meals', wishes(['cancel', 'drop'], ['breakfast', 'buffet'])),
    ])
    const [labels, keywords] = [new Set(cues['rooms']?.labels), new Set(cues['rooms']?.keywords)]
    expect([labels, keywords]).toEqual(expect.arrayContaining([new Set(['cancel', 'drop']), new Set(['room', 'suite'])]))
  })

  it('need an object as well where no other run has the deed: the next wish may have it', async () => {
    const cues = await cuesOf([
      ...runsOf('rooms', wishes(['cancel', 'drop'], ['room', 'suite'])),
      ...runsOf('stock', ['please count the stock #', '#: what have we got today']),
    ])
    const { labels = [], keywords = [] } = cues['rooms'] ?? {}
    expect([...labels, ...keywords].sort()).toEqual(['cancel', 'drop', 'room', 'suite'])
    expect(labels.some((label) => keywords.includes(label))).toBe(false)
  })

  it('take words that always come together for one: they do not stand for a deed and an object', async () => {
    const cues = await cuesOf([
      ...runsOf('reports', wishes(['send', 'mail'], ['lab report', 'blood results'])),
      ...runsOf('bills', wishes(['send', 'mail'], ['bill', 'invoice'])),
      ...runsOf('stock', wishes(['count', 'order'], ['shelf', 'box'])),
    ])
    const { labels = [], keywords = [] } = cues['reports'] ?? {}
    expect(labels).toEqual(expect.arrayContaining(['lab-report', 'blood-results']))
    expect([...keywords].sort()).toEqual(['mail', 'send'])
  })

  it('are one word where users write no other one', async () => {
    const cues = await cuesOf([...runsOf('weather', ['weather #', '#: weather?']), ...runsOf('stock', ['please count the stock #'])])
    expect(cues['weather']).toEqual({ labels: ['weather'], keywords: ['weather'] })
  })

  it('are words that are more often right than wrong, where nothing is better', async () => {
    const shared = ['clear the desk #', 'desk #: clear it']
    const cues = await cuesOf([
      ...runsOf('desks', shared),
      ...runsOf('tables', shared, 15),
      ...runsOf('stock', ['please count the stock #']),
    ])
    expect(cues['desks']?.labels).toEqual(['clear-desk'])
    expect(cues['tables']).toEqual({ labels: [], keywords: [] })
  })

  it('are keywords only for words that no label can have', async () => {
    const cues = await cuesOf([
      ...runsOf('rooms', ['отменить номер #', 'номер #: отменить', 'прошу отменить номер #']),
      ...runsOf('stock', ['please count the stock #']),
    ])
    expect(cues['rooms']).toEqual({ labels: [], keywords: [expect.stringMatching(/отменить|номер/)] })
  })

  it('are those of the gate: other endings of a label and other numbers count, and no secret does', async () => {
    const cues = await cuesOf([
      ...runsOf('rooms', ['releasing rooms # secret', 'release room # secret', 'room # is to be released secret']),
      ...runsOf('stock', ['please count the stock #']),
    ])
    expect(JSON.stringify(cues['rooms'])).toMatch(/^\{"labels":\[[^\]]*room[^\]]*\],"keywords":\[[^\]]*\]\}$/)
    expect(JSON.stringify(cues)).not.toMatch(/secret|\d/)
  })

  it('stay when the skill has done most of the work: its executions are runs of the pattern', async () => {
    const texts = wishes(['cancel', 'drop'], ['room', 'suite'])
    const runs = [...runsOf('rooms', texts), ...runsOf('stock', ['please count the stock #'])]
    const { drafts } = await learn(() => stored(runs), { owner: 'ana' })
    const known = drafts.map(({ manifest }) => ({ ...manifest, id: `known.${manifest.plan.steps[0]?.tool.replace('.find', '') ?? ''}` }))
    const executed = Array.from({ length: 200 }, (_, i) =>
      logged(`later${i}`, [{ tool: 'known.rooms' }], { text: at(texts, i).replace('#', `X-${5000 + i}`) }),
    ).map((read) => ({
      ...read,
      shape: { ...read.shape, sequences: [{ ...read.shape.sequences[0], symbols: ['skill:known.rooms'] }] } as RunRead['shape'],
    }))
    const before = await cuesOf(runs)
    expect((await cuesOf([...runs, ...executed], known))['rooms']).toEqual(before['rooms'])
    expect((await cuesOf([...runs, ...executed]))['rooms']).not.toEqual(before['rooms'])
  })

  it('are the same in any order of the runs', async () => {
    const runs = [
      ...runsOf('rooms', wishes(['cancel', 'drop'], ['room', 'suite'])),
      ...runsOf('booked', wishes(['book', 'reserve'], ['room', 'suite'])),
    ]
    expect(await cuesOf(runs.toReversed())).toEqual(await cuesOf(runs))
  })
})
