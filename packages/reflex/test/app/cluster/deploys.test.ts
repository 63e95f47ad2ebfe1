import { describe, expect, test } from 'vitest'
import { DEPLOYS, wake } from './deploys.ts'
import { clusterPlace } from './places.ts'

const withoutDigest = (word: string): string => word.replace(/#.*$/, '')

describe('a run that sleeps over a deploy', () => {
  test.each(DEPLOYS)('$name: a new worker without it opens and records nothing, and one that has it carries the run on', async (deploy) => {
    const { process, worker, until, fake, workdir, store } = clusterPlace()
    const starter = process('starter', deploy.has)
    const old = await worker('old', deploy.has)
    const handle = await starter.start(deploy.write(workdir), { id: 'otter', trust: 'trusted', ...deploy.start })
    await until(handle.idle())
    expect(handle.status).toBe('suspended')
    await old.member.leave()
    const before = JSON.stringify(await store.journal('otter'))
    await worker('without', deploy.lacks)
    await wake(deploy, starter, 'otter')
    await fake.settle()
    const [run, by, outcome] = fake.turns.at(-1) ?? []
    const needs = outcome?.did === 'lacks' ? outcome.needs.map(withoutDigest) : []
    expect([run, by, needs]).toEqual(['otter', 'without', deploy.words])
    expect(JSON.stringify(await store.journal('otter'))).toBe(before)
    expect((await store.read('otter', 0))?.row).toMatchObject({ owner: null, status: 'suspended' })
    await worker('with', deploy.has)
    await until(handle.idle({ until: 'end' }))
    expect(handle.status).toBe('completed')
    expect(fake.turns.at(-1)?.[1]).toBe('with')
  })

  test.each(DEPLOYS)('$name: what its start states is something that a host like the one of its start has', async (deploy) => {
    const { process, worker, fake, workdir } = clusterPlace()
    await process('starter', deploy.has).start(deploy.write(workdir), { id: 'otter', trust: 'trusted', ...deploy.start })
    const { member } = await worker('one', deploy.has)
    const stated = fake.places.get('otter')?.needs ?? []
    expect(stated.filter((word) => !member.can.includes(word) && !member.can.includes(word.replace(/@.*$/, '@*')))).toEqual([])
    // Tools and models are those of workers: a process that only starts runs may lack them.
    const parts = deploy.words.filter((word) => !/^(tool|model):/.test(word))
    expect(stated.map((word) => word.replace(/@.*$/, ''))).toEqual(expect.arrayContaining(parts.map((word) => word.replace(/@.*$/, ''))))
  })
})
