import { boolean, double, integer, int64, json, oneOf, optional, table, text, time } from '../../src/store/table.ts'

export interface Shelf {
  code: string
  note?: string
}

export interface Book {
  isbn: string
  shelf: string
  title: string
  pages: number
  rating?: number
  lent: boolean
  addedAt: string
  kind: 'novel' | 'atlas'
  details: { weights: bigint[]; by?: { name: string }; 'odd name'?: string }
}

export interface Loan {
  id: bigint
  isbn: string
  dueAt: string
  member: bigint
}

export interface Member {
  number: bigint
  name: string
  nickname?: string
}

export interface Note {
  id: bigint
  value: { text: string } | string[] | bigint | null
}

const bookIndexes = `CREATE INDEX books_by_kind ON books (kind, isbn); CREATE INDEX books_by_lent ON books (lent, isbn);
          CREATE INDEX books_by_time ON books (added_at, isbn); CREATE INDEX books_by_pages ON books (pages, isbn);`

/** The table that remembers requests, by the types of the key, of bytes, of text and of integers. */
export function requests(name: string, key: string, [bytes = '', words = '', number = '']: string[]): string {
  const strict = number === 'INTEGER' ? 'STRICT, WITHOUT ROWID' : ''
  const ordered = number === 'INTEGER' ? '' : 'COLLATE "C"'
  return `CREATE TABLE ${name}_requests (caller ${words} ${ordered} NOT NULL, key ${words} ${ordered} NOT NULL,
            row_key ${key} NOT NULL, created_at ${number} NOT NULL, digest ${bytes}, answer ${words},
            PRIMARY KEY (caller, key)) ${strict};
          CREATE INDEX ${name}_requests_by_age ON ${name}_requests (created_at);`
}

/** Shelves that books stand on: a text as the key, and a value that may be absent. */
const shelves = table<Shelf>()({
  name: 'shelves',
  called: 'shelves',
  columns: { code: text, note: optional(text) },
  key: 'code',
  lock: 901,
  steps: {
    sqlite: {
      8: `CREATE TABLE shelves (code TEXT NOT NULL PRIMARY KEY, note TEXT) STRICT, WITHOUT ROWID;
          ${requests('shelves', 'TEXT', ['BLOB', 'TEXT', 'INTEGER'])}`,
    },
    postgres: {
      6: `CREATE TABLE shelves (code text COLLATE "C" PRIMARY KEY, note text);
          ${requests('shelves', 'text COLLATE "C"', ['bytea', 'text', 'bigint'])}`,
    },
  },
})

/** Books: a reference, filters, an order by times that repeat, JSON, numbers, and two values that no two books share. */
const books = table<Book>()({
  name: 'books',
  called: 'books',
  columns: {
    isbn: text,
    shelf: text,
    title: text,
    pages: integer,
    rating: optional(double),
    lent: boolean,
    addedAt: time,
    kind: oneOf<'novel' | 'atlas'>(),
    details: json<Book['details']>(),
  },
  key: 'isbn',
  filters: ['kind', 'lent'],
  orders: ['addedAt', 'pages'],
  unique: [['shelf', 'title']],
  references: { shelf: 'shelves' },
  lock: 902,
  steps: {
    sqlite: {
      8: `CREATE TABLE books (isbn TEXT NOT NULL PRIMARY KEY, shelf TEXT NOT NULL REFERENCES shelves, title TEXT NOT NULL,
            pages INTEGER NOT NULL, rating REAL, lent INTEGER NOT NULL, added_at TEXT NOT NULL, kind TEXT NOT NULL,
            details TEXT NOT NULL, UNIQUE (shelf, title)) STRICT, WITHOUT ROWID;
          ${bookIndexes}
          ${requests('books', 'TEXT', ['BLOB', 'TEXT', 'INTEGER'])}`,
    },
    postgres: {
      6: [
        '',
        `CREATE TABLE books (isbn text COLLATE "C" PRIMARY KEY, shelf text COLLATE "C" NOT NULL REFERENCES shelves,
            title text NOT NULL, pages bigint NOT NULL, rating double precision, lent bigint NOT NULL,
            added_at text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, details text NOT NULL,
            UNIQUE (shelf, title));
          ${bookIndexes}
          ${requests('books', 'text COLLATE "C"', ['bytea', 'text', 'bigint'])}`,
      ],
    },
  },
})

/** Members, whose number the client chooses, also below 0. */
const members = table<Member>()({
  name: 'members',
  called: 'members',
  columns: { number: int64, name: text, nickname: optional(text) },
  key: 'number',
  unique: [['nickname']],
  lock: 903,
  steps: {
    sqlite: {
      8: `CREATE TABLE members (number INTEGER PRIMARY KEY, name TEXT NOT NULL, nickname TEXT UNIQUE) STRICT;
          ${requests('members', 'INTEGER', ['BLOB', 'TEXT', 'INTEGER'])}`,
    },
    postgres: {
      6: `CREATE TABLE members (number bigint PRIMARY KEY, name text NOT NULL, nickname text COLLATE "C" UNIQUE);
          ${requests('members', 'bigint', ['bytea', 'text', 'bigint'])}`,
    },
  },
})

/** Loans: a generated key, and a reference that lists are filtered by. */
const loans = table<Loan>()({
  name: 'loans',
  called: 'loans',
  columns: { id: int64, isbn: text, dueAt: time, member: int64 },
  key: 'id',
  generated: true,
  filters: ['isbn'],
  orders: ['dueAt'],
  unique: [['isbn', 'member']],
  references: { isbn: 'books' },
  lock: 904,
  steps: {
    sqlite: {
      8: `CREATE TABLE loans (id INTEGER PRIMARY KEY AUTOINCREMENT, isbn TEXT NOT NULL REFERENCES books,
            due_at TEXT NOT NULL, member INTEGER NOT NULL, UNIQUE (isbn, member)) STRICT;
          CREATE INDEX loans_by_isbn ON loans (isbn); CREATE INDEX loans_by_due ON loans (due_at);
          ${requests('loans', 'INTEGER', ['BLOB', 'TEXT', 'INTEGER'])}`,
    },
    postgres: {
      6: [
        '',
        '',
        `CREATE TABLE loans (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            isbn text COLLATE "C" NOT NULL REFERENCES books, due_at text COLLATE "C" NOT NULL, member bigint NOT NULL,
            UNIQUE (isbn, member));
          CREATE INDEX loans_by_isbn ON loans (isbn, id); CREATE INDEX loans_by_due ON loans (due_at, id);
          ${requests('loans', 'bigint', ['bytea', 'text', 'bigint'])}`,
      ],
    },
  },
})

/** Notes of any shape. */
const notes = table<Note>()({
  name: 'notes',
  called: 'notes',
  columns: { id: int64, value: json<Note['value']>() },
  key: 'id',
  generated: true,
  lock: 905,
  steps: {
    sqlite: {
      8: `CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, value TEXT NOT NULL) STRICT;
          ${requests('notes', 'INTEGER', ['BLOB', 'TEXT', 'INTEGER'])}`,
    },
    postgres: {
      6: `CREATE TABLE notes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, value text NOT NULL);
          ${requests('notes', 'bigint', ['bytea', 'text', 'bigint'])}`,
    },
  },
})

/** Tables that are not those of the product. */
export const oddTables = { books, loans, members, notes, shelves }
