import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callIn, folder, Sandbox, refusal, use } from './workshop.ts'

describe('git.sample', () => {
  it('returns the repository of a folder that has one, and does not change it', async () => {
    const repo = new Sandbox(folder())
    repo.commit('one', { a: '1' })
    expect(await use('git.sample', {}, callIn(repo.root))).toEqual({ repo: '.', sample: false })
    expect(await use('git.log', {}, callIn(repo.root))).toMatchObject({ count: 1 })
  })

  it('creates the same small history in the folder of the run if there is none, also a second time', async () => {
    const call = callIn(folder())
    const first = await use('git.sample', {}, call)
    expect(first).toEqual({ repo: '.reflex/runs/otter/sample', sample: true })
    expect(await use('git.sample', {}, call)).toEqual(first)
    const repo = '.reflex/runs/otter/sample'
    expect(await use('git.tag', { repo }, call)).toMatchObject({ tag: 'v1.4.2', next: { major: '2.0.0' } })
    expect(await use('git.log', { repo, since: 'v1.4.2' }, call)).toMatchObject({
      commits: [{ subject: 'feat!: one name for one thing' }, { subject: 'feat: read from a file' }, { subject: 'fix: keep empty fields' }],
    })
  })

  it('creates nothing if the run may not write', async () => {
    const workdir = folder()
    const call = callIn(workdir, { allows: (capability) => !capability.startsWith(`arbor://fs/write${join(workdir, '.reflex')}`) })
    expect(await refusal(() => use('git.sample', {}, call))).toMatchObject({ code: 'R4105' })
  })
})
