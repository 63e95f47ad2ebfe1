import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { faults as kernelFaults } from '../../src/kernel/journal/faults.ts'
import { faults, openStore } from '../../src/store/index.ts'
import { storeFault } from '../../src/store/sqlite-faults.ts'
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

  it('of an unknown kind is refused, and no password is repeated', () => {
    for (const address of ['mysql://ana:secret@host/db', 'http://host', 'file:reflex.db', 'sqlite:', 'sqlite::memory:', '']) {
      expect(() => openStore(address), address).toThrow(
        expect.objectContaining({ code: 'R5027', message: expect.not.stringContaining('secret') as string }),
      )
    }
  })
})

describe('the errors of SQLite', () => {
  const said = (errcode: number) => Object.assign(new Error('said'), { code: 'ERR_SQLITE_ERROR', errcode })

  it.each([
    [5, 'R5025', 'R5025', 'R5025'],
    [5 | (2 << 8), 'R5025', 'R5025', 'R5025'],
    [6, 'R5025', 'R5025', 'R5025'],
    [8 | (6 << 8), 'R5024', 'R5024', 'R5024'],
    [10 | (3 << 8), 'R5023', 'R5026', 'R5005'],
    [11 | (1 << 8), 'R5021', 'R5021', 'R5021'],
    [13, 'R5005', 'R5005', 'R5005'],
    [14 | (2 << 8), 'R5023', 'R5023', 'R5023'],
    [26, 'R5020', 'R5020', 'R5020'],
    [19, 'R5023', 'R5026', 'R5005'],
  ])('%i becomes %s, %s or %s when it opens, reads or writes', (errcode, open, read, write) => {
    const faultsFor = (['open', 'read', 'write'] as const).map((doing) => storeFault(said(errcode), 'reflex.db', doing))
    expect(faultsFor.map(({ code }) => code)).toEqual([open, read, write])
    for (const fault of faultsFor) {
      expect(fault).toMatchObject({ file: 'reflex.db', cause: 'said' })
      expect(fault.fix).toMatch(/\w/)
    }
  })
})

describe('the catalogue of stores', () => {
  it('has its own codes, and each page says what to do', () => {
    for (const [code, page] of Object.entries(faults.entries)) {
      expect(code).toMatch(/^R50(?:[2-4]\d|5[1-4])$/)
      expect(Object.keys(kernelFaults.entries)).not.toContain(code)
      for (const text of [page.title, page.means, page.when, page.fix]) expect(text.length).toBeGreaterThan(8)
    }
  })
})
