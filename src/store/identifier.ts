/** The words that SQLite or PostgreSQL takes as their own where a statement has a column or a table. */
const reserved = new Set(
  `add all alter analyse analyze and any array as asc asymmetric authorization autoincrement between binary
   both case cast check cmax cmin collate collation column commit concurrently constraint create cross ctid
   current_catalog current_date current_role current_schema current_time current_timestamp current_user default
   deferrable delete desc distinct do drop else end escape except exists false fetch for foreign freeze from
   full grant group having if ilike in index initially inner insert intersect into is isnull join lateral
   leading left like limit localtime localtimestamp natural not nothing notnull null offset on only or order
   outer overlaps placing primary raise references returning right select session_user set similar some
   symmetric table tableoid tablesample then to trailing transaction true union unique update user using values
   variadic verbose when where window with xmax xmin`.split(/\s+/),
)

/** A name as both engines take it without quotes: `categoryId` is `category_id`, and `order` is `order_`. */
export function identifier(name: string): string {
  const plain = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/[^a-z0-9_]/g, '_')
  const begun = /^[a-z_]/.test(plain) ? plain : `_${plain}`
  return reserved.has(begun) ? `${begun}_` : begun
}
