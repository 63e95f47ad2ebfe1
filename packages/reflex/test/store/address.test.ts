import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faults as kernelFaults } from '../../src/kernel/faults.ts'
import { faults, openStore } from '../../src/store/index.ts'
import { folder } from './processes.ts'

describe('the address of a store', () => {
  it('may be a path, with a scheme or without', async () => {
    const path = folder()
    for (const address of [join(path, 'a.db'), `sqlite:${join(path, 'b.db')}`, join(path, 'with:colon.db')]) {
      const store = openStore(address)
      expect(store.durable).toBe(true)
      await store.close()
    }
  })

  it('may be memory, a new one each time', async () => {
    const store = openStore('memory:')
    expect([store.durable, store.name]).toEqual([false, 'memory:'])
    await store.append('a', 'k', 1, 0)
    expect(await openStore('memory:').ledger('a')).toEqual([])
  })

  it('of a store that is not known is refused, and no password is repeated', () => {
    for (const address of ['postgres://ana:secret@host/db', 'http://host', 'file:reflex.db', 'sqlite:', 'sqlite::memory:', '']) {
      expect(() => openStore(address), address).toThrow(
        expect.objectContaining({ code: 'R5027', message: expect.not.stringContaining('secret') as string }),
      )
    }
  })
})

describe('the catalogue of stores', () => {
  it('has codes of its own, and each page says what to do', () => {
    for (const [code, page] of Object.entries(faults.entries)) {
      expect(code).toMatch(/^R50[2-4]\d$/)
      expect(Object.keys(kernelFaults.entries)).not.toContain(code)
      for (const text of [page.title, page.means, page.when, page.fix]) expect(text.length).toBeGreaterThan(8)
    }
  })
})
