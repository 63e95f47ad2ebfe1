import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/store/index.ts'
import { messageOf } from '../../src/testing/store-suite/world.ts'
import { reflex, workFolder } from './worlds.ts'

test('a damaged message in the inbox is shown, set aside with a warning, and its run continues', async () => {
  const folder = workFolder()
  const file = join(folder, '.reflex/reflex.db')
  await reflex(['run', 'refund.workflow.json', '--id', 'otter'], { folder })
  const store = openSqlite(file)
  await store.post('otter', messageOf('m1', { type: 'message', to: 'topic', body: 'as it was sent' }))
  await store.close()
  const db = new DatabaseSync(file)
  db.exec("update inbox set body = '2'")
  db.close()
  expect((await reflex(['show', 'otter'], { folder })).out).toMatch(/message m1 to otter is not what was written/)
  expect(await reflex(['export', 'otter'], { folder })).toMatchObject({ code: 3, err: expect.stringContaining('R5013') as string })
  const resumed = await reflex(['resume', 'otter', '--answers', 'none'], { folder })
  expect(resumed).toMatchObject({
    code: 75,
    err: expect.stringMatching(/warns +R5013 message m1 to otter is not what was written, and was set aside/) as string,
  })
  expect((await reflex(['answer', 'otter', 'yes'], { folder })).code).toBe(0)
  expect((await reflex(['trace', 'otter'], { folder })).out).toContain('R5013')
  expect((await reflex(['show', 'otter', '--json'], { folder })).out).not.toContain('R5013')
  expect((await reflex(['replay', 'otter'], { folder })).code).toBe(0)
})
