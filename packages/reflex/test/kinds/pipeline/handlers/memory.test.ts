import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/kernel/index.ts'
import { AgentMemory } from '../../../../src/kinds/pipeline/operations/memory/agent-memory.ts'
import { TextIndex } from '../../../../src/kinds/pipeline/operations/memory/text-index.ts'
import { memoryStore } from '../../../../src/store/index.ts'
import { runNodes, saying, workFolder } from './session-world.ts'

describe('memory of an agent', () => {
  // proves: pipeline 4.7d, pipeline 4.7e
  it('finds what fits best, counts, consolidates and keeps a working memory', async () => {
    const store = memoryStore()
    const remember = (text: string) =>
      runNodes('n [type="memory.index", source_key=text, metadata="{\\"from\\": \\"test\\"}"] start -> n -> done', {
        store,
        initial_values: { text },
      })
    await remember('The build takes four minutes on the old machine.')
    await remember('Ada keeps bees behind the house.')
    const indexed = await remember('Ada keeps bees behind the house!')
    expect(indexed.context['memory.indexed']).toMatchObject({ indexed: true })
    const went = await runNodes(
      `r [type="memory.recall", source_key=q, limit=2]
       c [type="memory.consolidate"]
       s [type="memory.working_save"]
       l [type="memory.working_load"]
       t [type="memory.stats"]
       start -> r -> c -> s -> l -> t -> done`,
      { store, initial_values: { q: 'where are the bees of Ada?', 'memory.working_memory': { concerns: ['winter'] } } },
    )
    expect(went.context['memory.recalled']).toMatchObject([{ content: saying('bees') }, { content: saying('bees') }])
    expect(went.context['memory.recall_count']).toBe(2)
    expect(went.context['memory.consolidation_result']).toMatchObject({ strategy: 'full', before: 3, after: 2, merged: 1 })
    expect(went.context['memory.working_memory']).toEqual({ concerns: ['winter'] })
    expect(went.context['memory.stats']).toMatchObject({ memories: 2 })
  })

  it('refuses a strategy that there is none of', async () => {
    const refused = runNodes('n [type="memory.consolidate", strategy=all] start -> n -> done')
    await expect(refused).rejects.toThrow('not one of "full", "decay_only", "prune_only"')
  })
})

describe('full-text search', () => {
  it('prefers rare words, short texts and what came last', () => {
    const index = new TextIndex()
    index.add('a', 'the cat sat on the mat')
    index.add('b', 'the dog sat on the mat with the cat of the neighbour and looked at the moon')
    index.add('c', 'the dog')
    index.add('d', 'The DOG!')
    expect(index.search('dog', 9).map(({ id }) => id)).toEqual(['d', 'c', 'b'])
    expect(index.search('the moon', 1).map(({ id }) => id)).toEqual(['b'])
    expect(index.search('unheard', 9)).toEqual([])
    index.remove('d')
    expect(index.search('dog', 9).map(({ id }) => id)).toEqual(['c', 'b'])
  })

  it('finds every text by each of its words, best first, and nothing that was removed', () => {
    const words = fc.array(fc.constantFrom('oak', 'ash', 'elm', 'yew', 'fir'), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.constantFrom('oak', 'fir'), (texts, query) => {
        const index = new TextIndex()
        for (const [i, text] of texts.entries()) index.add(String(i), text.join(' '))
        if (texts.length > 1) index.remove('0')
        const hits = index.search(query, 99)
        const wanted = texts.flatMap((text, i) => (text.includes(query) && !(i === 0 && texts.length > 1) ? [String(i)] : []))
        expect(hits.map(({ id }) => id).sort()).toEqual(wanted.sort())
        expect(hits.every(({ score }, i) => score > 0 && score <= (hits[i - 1]?.score ?? Infinity))).toBe(true)
      }),
    )
  })
})

describe('the fold of a ledger', () => {
  it('is the same whether it is read at once or entry by entry, and takes any entry', () => {
    const entries = fc.array(
      fc.oneof(
        fc.record({
          op: fc.constantFrom(
            'index',
            'update_goals',
            'consolidate',
            'memory_update',
            'store_decompositions',
            'route_intents',
            'apply_identity_insights',
          ),
          at: fc.nat(1e9),
          run: fc.constant('r'),
          args: fc.dictionary(
            fc.constantFrom('content', 'new_goals', 'goal_updates', 'turn_data', 'decompositions', 'strategy'),
            fc.jsonValue(),
          ),
        }),
        fc.jsonValue(),
      ),
      { maxLength: 15 },
    )
    fc.assert(
      fc.property(entries, (list) => {
        const [once, twice] = [new AgentMemory(), new AgentMemory()]
        for (const [i, entry] of list.entries()) once.fold(i + 1, entry as Json)
        for (const [i, entry] of list.entries()) {
          twice.fold(i + 1, entry as Json)
          twice.fold(i + 1, entry as Json)
        }
        expect(twice.goals.active()).toEqual(once.goals.active())
        expect(twice.memories.recall('', 99)).toEqual(once.memories.recall('', 99))
        expect(twice.answerOf(list.length)).toEqual(once.answerOf(list.length))
      }),
    )
  })
})

describe('a store of memories in a file', () => {
  const store = (more = '') =>
    `s [type="memory.store_file", memory_store="mind/facts.jsonl", content_key=fact, tags="bees, home"${more}] start -> s -> done`

  // proves: pipeline 4.7d, pipeline 4.7e
  it('takes one line for each memory, and gives back what fits', async () => {
    const workdir = workFolder()
    for (const fact of ['bees fly', 'bees swarm in May', 'wasps sting']) await runNodes(store(), { workdir, initial_values: { fact } })
    const lines = readFileSync(join(workdir, 'mind/facts.jsonl'), 'utf8').trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { fact: string }).fact)).toEqual(['bees fly', 'bees swarm in May', 'wasps sting'])
    const recall = async (more: string) =>
      (
        await runNodes(
          `r [type="memory.recall_store", memory_store="mind/facts.jsonl", query_key=q, format=json, ${more}] start -> r -> done`,
          {
            workdir,
            initial_values: { q: 'do bees swarm?' },
          },
        )
      ).context
    const facts = (value: Json | undefined) => (value as { fact: string }[]).map(({ fact }) => fact)
    expect(facts((await recall('strategy=keyword'))['recalled_memories'])).toEqual(['bees swarm in May', 'bees fly'])
    expect(facts((await recall('strategy=recent, top_k=1'))['recalled_memories'])).toEqual(['wasps sting'])
    expect((await recall('strategy=tag_match, tags="bees, garden"'))['recalled_memories']).toEqual([])
    expect(await recall('strategy=recent, tags="garden, home"')).toMatchObject({ 'memory.r.count': 3, 'memory.r.strategy': 'recent' })
  })

  it('passes over what is past its time and what is no memory; a file that is not there has none', async () => {
    const workdir = workFolder()
    mkdirSync(join(workdir, 'mind'))
    const line = (fact: string, expires_at: string | null) =>
      JSON.stringify({ fact, tags: [], timestamp: '2020-01-01T00:00:00Z', expires_at })
    writeFileSync(join(workdir, 'mind/facts.jsonl'), [line('old', '2020-01-02T00:00:00Z'), 'no JSON', line('lasting', null)].join('\n'))
    const text = async (path: string, more = '') =>
      (await runNodes(`r [type="memory.recall_store", memory_store="${path}"${more}] start -> r -> done`, { workdir })).context[
        'recalled_memories'
      ]
    expect(await text('mind/facts.jsonl')).toBe('- lasting')
    expect(await text('mind/facts.jsonl', ', include_expired=true')).toContain('old')
    expect(await text('mind/none.jsonl')).toBe('No memories found.')
  })

  it('keeps to the work folder', async () => {
    const went = await runNodes(store().replace('mind/facts.jsonl', '../facts.jsonl'), { initial_values: { fact: 'x' } })
    expect(went).toMatchObject({ status: 'fail', failure_reason: saying('facts.jsonl') })
  })
})
