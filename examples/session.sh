# Signs in as the first administrator and defines the functions that the examples in the docs use.
# Source it in the folder where the server was started:  . examples/session.sh
base=${base:-http://localhost:8080}
jar=${jar:-$(mktemp)}

# The current CSRF token, from the cookie that the server sets.
token() { awk '$6 == "XSRF-TOKEN" { print $7 }' "$jar"; }

# sign_in REALM USERNAME PASSWORD
sign_in() {
  curl -s -o /dev/null -b "$jar" -c "$jar" "$base/realms/$1/login"
  curl -s -o /dev/null -b "$jar" -c "$jar" "$base/realms/$1/login" \
    --data-urlencode "username=$2" --data-urlencode "password=$3" --data-urlencode "_csrf=$(token)"
}

# api METHOD PATH [curl options]: calls {base}/admin{path} with the session and its CSRF token. For a body other than JSON: type=text/xml api …
api() {
  local method=$1 path=$2 type=${type:-application/json}
  shift 2
  # RFC 7396: a PATCH names only the changed members.
  if [ "$method" = PATCH ]; then type=application/merge-patch+json; fi
  curl -s -b "$jar" -c "$jar" -X "$method" -H "X-XSRF-TOKEN: $(token)" -H "content-type: $type" "$base/admin$path" "$@"
}

# json MEMBER: prints one member of the JSON on standard input, for example json 0.userId
json() {
  node -e 'let value = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const key of process.argv[1].split(".")) value = value?.[key];
    if (value === undefined) { console.error(`json: there is no member "${process.argv[1]}"`); process.exit(1); }
    console.log(typeof value === "string" ? value : JSON.stringify(value));' "$1"
}

sign_in master admin "$(cat data/initial-admin-password)"
