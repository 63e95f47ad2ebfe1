import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Reflex } from '../../src/app/reflex.ts'
import { memoryStore } from '../../src/store/index.ts'
import { newFolder } from '../app/folders.ts'
import { calls, nodeServer, policyFor } from './outside.ts'

it('continues a call that asked for input in another process, with the answers and the state of the server', {
  timeout: 60_000,
}, async () => {
  const folder = newFolder()
  const notes = join(folder, 'notes')
  writeFileSync(notes, '')
  const policy = await policyFor(folder, 'shop', nodeServer(join(import.meta.dirname, 'modern.ts'), notes))
  const options = { store: memoryStore(), workdir: folder, trust: 'trusted', policy } as const
  const first = new Reflex(options)
  const run = await first.run(calls('mcp.shop.order'), { id: 'otter' })
  expect(run.questions).toMatchObject([{ name: 'mcp.shop', question: { text: 'The server shop asks: Which size?' } }])
  await run.leave()
  await first.servers.close()
  const second = new Reflex(options)
  const { handle } = await second.answer('otter/q1', { word: 'large' })
  await handle?.idle()
  expect(handle?.questions).toMatchObject([{ question: { text: 'The server shop asks: Which colour?' } }])
  expect(readFileSync(notes, 'utf8')).toBe('call null\n')
  await second.answer('otter/q2', { word: 'red' })
  await handle?.idle()
  expect(handle?.get('got')).toMatchObject({ text: expect.stringMatching(/large.*red/) as string })
  expect(readFileSync(notes, 'utf8')).toBe('call null\ncall "step-1"\n')
  await second.close()
})
